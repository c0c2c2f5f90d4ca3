/* The tables of columns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/rows.h"

#include "store/backend.h"

#define COLUMNS(list)                                                                                                  \
  { list, sizeof(list) / sizeof *(list) }

static const struct ts_column record[] = {
    {TS_COLUMN_DIGEST, offsetof(struct ts_record, key.digest)},
    {TS_COLUMN_DIGEST, offsetof(struct ts_record, content_key.digest)},
    {TS_COLUMN_BOOL, offsetof(struct ts_record, is_alias)},
    {TS_COLUMN_TEXT, offsetof(struct ts_record, operation)},
    {TS_COLUMN_TEXT, offsetof(struct ts_record, parameters_json)},
    {TS_COLUMN_DIGEST, offsetof(struct ts_record, implementation)},
    {TS_COLUMN_TEXT, offsetof(struct ts_record, numeric)},
    {TS_COLUMN_F64, offsetof(struct ts_record, seconds)},
    {TS_COLUMN_U64, offsetof(struct ts_record, peak_bytes)},
    {TS_COLUMN_TEXT, offsetof(struct ts_record, run)},
    {TS_COLUMN_TEXT, offsetof(struct ts_record, producer)},
    {TS_COLUMN_I64, offsetof(struct ts_record, made_unix_ns)},
};
const struct ts_columns ts_record_columns = COLUMNS(record);

static const struct ts_column task[] = {
    {TS_COLUMN_U64, offsetof(struct ts_task_row, task)},
    {TS_COLUMN_TEXT, offsetof(struct ts_task_row, stage)},
    {TS_COLUMN_TEXT, offsetof(struct ts_task_row, name)},
    {TS_COLUMN_I64, offsetof(struct ts_task_row, set)},
    {TS_COLUMN_I64, offsetof(struct ts_task_row, unit)},
    {TS_COLUMN_DIGEST, offsetof(struct ts_task_row, key.digest)},
    {TS_COLUMN_TEXT, offsetof(struct ts_task_row, outcome)},
    {TS_COLUMN_F64, offsetof(struct ts_task_row, start_s)},
    {TS_COLUMN_F64, offsetof(struct ts_task_row, seconds)},
    {TS_COLUMN_F64, offsetof(struct ts_task_row, cpu_seconds)},
    {TS_COLUMN_I32, offsetof(struct ts_task_row, worker)},
    {TS_COLUMN_TEXT, offsetof(struct ts_task_row, message)},
};
const struct ts_columns ts_task_columns = COLUMNS(task);

static const struct ts_column run[] = {
    {TS_COLUMN_RUN_ID, offsetof(struct ts_store_run, row.id)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run, row.command)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run, row.file)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run, row.state)},
    {TS_COLUMN_I64, offsetof(struct ts_store_run, row.started_unix_ns)},
    {TS_COLUMN_I64, offsetof(struct ts_store_run, row.finished_unix_ns)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run, row.settings_json)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run, row.result_json)},
    {TS_COLUMN_I64, offsetof(struct ts_store_run, row.process_id)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run, process)},
};
const struct ts_columns ts_run_columns = COLUMNS(run);

static const struct ts_column run_change[] = {
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run_change, id)},
    {TS_COLUMN_TEXT, offsetof(struct ts_store_run_change, state)},
    {TS_COLUMN_OPTIONAL, offsetof(struct ts_store_run_change, result_json)},
    {TS_COLUMN_I64, offsetof(struct ts_store_run_change, finished_unix_ns)},
    {TS_COLUMN_I64, offsetof(struct ts_store_run_change, process_id)},
    {TS_COLUMN_OPTIONAL, offsetof(struct ts_store_run_change, process)},
    {TS_COLUMN_OPTIONAL, offsetof(struct ts_store_run_change, settings_json)},
};
const struct ts_columns ts_run_change_columns = COLUMNS(run_change);

static const struct ts_column file[] = {
    {TS_COLUMN_U64, offsetof(struct ts_file_identity, device)},
    {TS_COLUMN_U64, offsetof(struct ts_file_identity, inode)},
    {TS_COLUMN_U64, offsetof(struct ts_file_identity, size_bytes)},
    {TS_COLUMN_I64, offsetof(struct ts_file_identity, mtime_ns)},
    {TS_COLUMN_I64, offsetof(struct ts_file_identity, ctime_ns)},
};
const struct ts_columns ts_file_columns = COLUMNS(file);
