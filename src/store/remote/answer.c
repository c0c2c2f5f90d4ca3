/* Requests of workers, answered by the backend of the store that is served.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Not by its front: a worker may see only committed records, or its own record could outlive a product that it relies
 * on. What this process has put but not committed is committed when a worker refreshes. */
#include "store/remote/answer_int.h"

#include "base/alloc.h"

#include <string.h>

void ts_remote_service_release(struct ts_remote_service *service) {
  ts_key_set_release(&service->known);
  free(service->log);
  memset(service, 0, sizeof *service);
}

/* One request while it is being answered. */
struct request {
  struct ts_remote_service *service;      /* borrowed */
  const struct ts_store_backend *backend; /* borrowed */
  void *state;                            /* borrowed */
  struct ts_wire in;
  struct ts_arena arena; /* for everything that the answer needs */
  struct ts_str *out;    /* borrowed */
  struct ts_error *err;  /* borrowed */
};

static bool is_bad(const struct request *request) { return !ts_wire_is_whole(&request->in); }

/* For members of which false without an error means no. */
static enum ts_remote_answer truth(const struct request *request, bool answer) {
  if (answer) return TS_REMOTE_YES;
  return request->err->code == TS_ERR_OK ? TS_REMOTE_NO : TS_REMOTE_FAILED;
}

static void read_digest(struct request *request, struct ts_sha256 *digest) {
  ts_wire_raw(&request->in, digest->bytes, sizeof digest->bytes);
}

static enum ts_remote_answer answer_hello(struct request *request) {
  const uint64_t magic = ts_wire_u64(&request->in);
  const uint32_t protocol = ts_wire_u32(&request->in);
  if (is_bad(request) || magic != TS_REMOTE_MAGIC) return TS_REMOTE_BAD;
  if (protocol != TS_REMOTE_PROTOCOL) {
    ts_fail(request->err, TS_ERR_STORE, "the worker speaks protocol %u, the study's process protocol %d",
            (unsigned)protocol, TS_REMOTE_PROTOCOL);
    ts_error_help(request->err, "the program was replaced while it ran: start the study again");
    return TS_REMOTE_FAILED;
  }
  ts_wire_add_text(request->out, request->backend->salt(request->state));
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_write(struct request *request) {
  struct ts_batch batch = {0};
  ts_remote_read_batch(&request->in, &request->arena, &batch);
  if (is_bad(request)) return TS_REMOTE_BAD;
  struct ts_store *store = request->service->store;
  if (ts_store_writer_write(&store->writer, &batch, request->err)) return TS_REMOTE_YES;
  ts_store_queue_done(&store->queue, NULL, request->err); /* the next flush in this process reports the loss */
  return TS_REMOTE_FAILED;
}

/* The record, and of each of its products whether it is there. */
static enum ts_remote_answer answer_find(struct request *request) {
  struct ts_key key;
  struct ts_record record;
  const uint8_t by = ts_wire_u8(&request->in);
  read_digest(request, &key.digest);
  if (is_bad(request) || by > TS_STORE_BY_CONTENT_KEY) return TS_REMOTE_BAD;
  const bool found =
      request->backend->find(request->state, (enum ts_store_by)by, &key, &request->arena, &record, request->err);
  if (!found) return truth(request, false);
  ts_remote_add_record(request->out, &record);
  for (size_t i = 0; i < record.output_count; i++) {
    ts_wire_add_u8(request->out, request->backend->has_product(request->state, &record.outputs[i].digest));
  }
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_records_of(struct request *request) {
  const char *operation = ts_wire_text(&request->in);
  const uint64_t limit = ts_wire_u64(&request->in);
  struct ts_record *records;
  size_t count;
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->records_of(request->state, operation, (size_t)limit, &request->arena, &records, &count,
                                    request->err)) {
    return TS_REMOTE_FAILED;
  }
  ts_wire_add_u64(request->out, count);
  for (size_t i = 0; i < count; i++) ts_remote_add_record(request->out, &records[i]);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_has_product(struct request *request) {
  struct ts_sha256 digest;
  read_digest(request, &digest);
  if (is_bad(request)) return TS_REMOTE_BAD;
  return truth(request, request->backend->has_product(request->state, &digest));
}

static enum ts_remote_answer answer_fetch(struct request *request) {
  ts_auto(ts_str_release) struct ts_str packed = {0};
  struct ts_sha256 digest;
  read_digest(request, &digest);
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->fetch(request->state, &digest, &packed, request->err)) return truth(request, false);
  ts_wire_add_raw(request->out, ts_str_get(&packed), packed.length);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_forget(struct request *request) {
  struct ts_sha256 digest;
  read_digest(request, &digest);
  if (is_bad(request)) return TS_REMOTE_BAD;
  return truth(request, request->backend->forget(request->state, &digest, request->err));
}

static enum ts_remote_answer answer_run_insert(struct request *request) {
  struct ts_store_run run;
  ts_remote_read_row(&request->in, &ts_run_columns, &run);
  if (is_bad(request)) return TS_REMOTE_BAD;
  return truth(request, request->backend->run_insert(request->state, &run, request->err));
}

static enum ts_remote_answer answer_run_update(struct request *request) {
  struct ts_store_run_change change;
  ts_remote_read_row(&request->in, &ts_run_change_columns, &change);
  if (is_bad(request)) return TS_REMOTE_BAD;
  return truth(request, request->backend->run_update(request->state, &change, request->err));
}

static enum ts_remote_answer answer_run_list(struct request *request) {
  struct ts_store_run *runs;
  size_t count;
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->run_list(request->state, &request->arena, &runs, &count, request->err))
    return TS_REMOTE_FAILED;
  ts_wire_add_u64(request->out, count);
  for (size_t i = 0; i < count; i++) ts_remote_add_row(request->out, &ts_run_columns, &runs[i]);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_task_list(struct request *request) {
  const char *run = ts_wire_text(&request->in);
  const uint64_t since = ts_wire_u64(&request->in), limit = ts_wire_u64(&request->in);
  struct ts_task_row *rows;
  size_t count;
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->task_list(request->state, run, since, (size_t)limit, &request->arena, &rows, &count,
                                   request->err))
    return TS_REMOTE_FAILED;
  ts_wire_add_u64(request->out, count);
  for (size_t i = 0; i < count; i++) ts_remote_add_row(request->out, &ts_task_columns, &rows[i]);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_task_end(struct request *request) {
  const char *run = ts_wire_text(&request->in);
  uint64_t end;
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->task_end(request->state, run, &end, request->err)) return TS_REMOTE_FAILED;
  ts_wire_add_u64(request->out, end);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_usage(struct request *request) {
  struct ts_store_usage usage;
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->usage(request->state, &usage, request->err)) return TS_REMOTE_FAILED;
  ts_wire_add_u64(request->out, usage.records);
  ts_wire_add_u64(request->out, usage.products);
  ts_wire_add_u64(request->out, usage.product_bytes);
  ts_wire_add_u64(request->out, usage.packed_bytes);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_file_find(struct request *request) {
  struct ts_file_identity file;
  struct ts_sha256 digest;
  ts_remote_read_row(&request->in, &ts_file_columns, &file);
  if (is_bad(request)) return TS_REMOTE_BAD;
  if (!request->backend->file_find(request->state, &file, &digest, request->err)) return truth(request, false);
  ts_wire_add_raw(request->out, digest.bytes, sizeof digest.bytes);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer answer_file_put(struct request *request) {
  struct ts_file_identity file;
  struct ts_sha256 digest;
  ts_remote_read_row(&request->in, &ts_file_columns, &file);
  read_digest(request, &digest);
  if (is_bad(request)) return TS_REMOTE_BAD;
  return truth(request, request->backend->file_put(request->state, &file, &digest, request->err));
}

static void note(struct ts_remote_service *service, const struct ts_key *key) {
  if (service->too_many) return;
  if (service->known.table.count >= TS_KEY_SET_MOST) {
    service->too_many = true;
    ts_key_set_release(&service->known);
    free(ts_steal(service->log));
    service->log_count = service->log_capacity = 0;
    return;
  }
  const uint64_t hash = ts_key_set_hash(key);
  if (!ts_key_set_add(&service->known, hash)) return;
  service->log = ts_grow(service->log, service->log_count, &service->log_capacity, sizeof *service->log);
  service->log[service->log_count++] = hash;
}

static void note_keys(void *user, const struct ts_key *key, const struct ts_key *content_key) {
  note(user, key);
  note(user, content_key);
}

/* What the log has beyond those that the worker has got. */
static enum ts_remote_answer answer_refresh(struct request *request) {
  struct ts_remote_service *service = request->service;
  const uint64_t got = ts_wire_u64(&request->in);
  if (is_bad(request)) return TS_REMOTE_BAD;
  ts_store_queue_drain_records(&service->store->queue);
  if (!service->too_many && !request->backend->keys(request->state, &service->mark, note_keys, service, request->err)) {
    return TS_REMOTE_FAILED;
  }
  ts_wire_add_u8(request->out, service->too_many);
  if (service->too_many) return TS_REMOTE_YES;
  if (got > service->log_count) return TS_REMOTE_BAD;
  ts_wire_add_u64(request->out, service->log_count - got);
  for (size_t i = (size_t)got; i < service->log_count; i++) ts_wire_add_u64(request->out, service->log[i]);
  return TS_REMOTE_YES;
}

static enum ts_remote_answer (*const handlers[TS_REMOTE_REQUEST_COUNT])(struct request *) = {
    [TS_REMOTE_HELLO] = answer_hello,
    [TS_REMOTE_WRITE] = answer_write,
    [TS_REMOTE_FIND] = answer_find,
    [TS_REMOTE_RECORDS_OF] = answer_records_of,
    [TS_REMOTE_HAS_PRODUCT] = answer_has_product,
    [TS_REMOTE_FETCH] = answer_fetch,
    [TS_REMOTE_FORGET] = answer_forget,
    [TS_REMOTE_RUN_INSERT] = answer_run_insert,
    [TS_REMOTE_RUN_UPDATE] = answer_run_update,
    [TS_REMOTE_RUN_LIST] = answer_run_list,
    [TS_REMOTE_TASK_LIST] = answer_task_list,
    [TS_REMOTE_TASK_END] = answer_task_end,
    [TS_REMOTE_USAGE] = answer_usage,
    [TS_REMOTE_FILE_FIND] = answer_file_find,
    [TS_REMOTE_FILE_PUT] = answer_file_put,
    [TS_REMOTE_REFRESH] = answer_refresh,
};

enum ts_remote_answer ts_remote_answer_request(struct ts_remote_service *service, uint32_t kind, const void *bytes,
                                               size_t count, struct ts_str *out, struct ts_error *err) {
  if (kind >= TS_REMOTE_REQUEST_COUNT || !handlers[kind]) return TS_REMOTE_BAD;
  struct request request = {.service = service,
                            .backend = service->store->backend,
                            .state = service->store->state,
                            .in = ts_wire_of(bytes, count),
                            .out = out,
                            .err = err};
  const enum ts_remote_answer answer = handlers[kind](&request);
  ts_arena_release(&request.arena);
  return answer;
}
