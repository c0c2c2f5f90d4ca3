/* The SQLite backend: rows and small products in one database file, large products as files beside it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One process writes (store/lock.h), any number may read meanwhile: the database is in WAL mode. Within the process one
 * connection writes and one reads, each under its own lock, so that finding never waits for a commit. */
#include "store/sqlite/sqlite_int.h"

const struct ts_store_backend ts_store_sqlite = {
    .name = "sqlite",
    .has_folder = true,
    .open = ts_sqlite_open,
    .close = ts_sqlite_close,
    .salt = ts_sqlite_salt,
    .damage_count = ts_sqlite_damage_count,
    .write = ts_sqlite_write,
    .find = ts_sqlite_find,
    .records_of = ts_sqlite_records_of,
    .has_product = ts_sqlite_has_product,
    .fetch = ts_sqlite_fetch,
    .forget = ts_sqlite_forget,
    .run_insert = ts_sqlite_run_insert,
    .run_update = ts_sqlite_run_update,
    .run_list = ts_sqlite_run_list,
    .is_written_by = ts_sqlite_is_written_by,
    .task_list = ts_sqlite_task_list,
    .task_end = ts_sqlite_task_end,
    .usage = ts_sqlite_usage,
    .file_find = ts_sqlite_file_find,
    .file_put = ts_sqlite_file_put,
    .cost_list = ts_sqlite_cost_list,
    .cost_put = ts_sqlite_cost_put,
    .keys = ts_sqlite_keys,
    .product_list = ts_sqlite_product_list,
    .footprint = ts_sqlite_footprint,
    .compact = ts_sqlite_compact,
    .verify = ts_sqlite_verify,
    .sweep = ts_sqlite_sweep,
    .drop = ts_sqlite_drop,
};
