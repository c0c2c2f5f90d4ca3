/* The tracing wrapper: writes one line per call of a backend to stderr and forwards it (TESSERA_STORE_TRACE=1).
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process/process.h"
#include "base/str.h"
#include "store/backend.h"

struct trace {
  const struct ts_store_backend *inner; /* borrowed from the table */
  void *state;                          /* owned; of the inner backend */
};

/* A call that is being traced. */
struct call {
  const struct trace *trace; /* borrowed */
  const char *name;
  uint64_t start_ns;
};

static struct call begin(const struct trace *trace, const char *name) {
  return (struct call){.trace = trace, .name = name, .start_ns = ts_clock_ns()};
}

/* A trace was asked for, so it is shown at every level of messages: only -q silences it. */
static void end(const struct call *call, const char *subject, const char *result, const struct ts_error *err) {
  const double milliseconds = (double)(ts_clock_ns() - call->start_ns) * 1e-6;
  const bool failed = err && err->code != TS_ERR_OK;
  ts_log(TS_LOG_WARN, "store trace: %s.%s(%s) %s%s%s, %s ms", call->trace->inner->name, call->name, subject,
         failed ? "failed" : result, failed ? ": " : "", failed ? err->text : "", TS_DECIMALS(milliseconds, 3));
}

/* The end of a call that gave `result`, which is returned: of one that does something, and of a question. */
static bool done(const struct call *call, const char *subject, bool result, const struct ts_error *err) {
  end(call, subject, "done", err);
  return result;
}

static bool answer(const struct call *call, const char *subject, bool result, const struct ts_error *err) {
  end(call, subject, result ? "yes" : "no", err);
  return result;
}

/* The first digits are enough to follow a digest through a trace. */
static const char *short_hex(const struct ts_sha256 *digest, char text[17]) {
  ts_hex_encode(digest->bytes, 8, text);
  return text;
}

static void *trace_open(const struct ts_store_options *options, struct ts_error *err) {
  const struct ts_store_backend *inner = ts_store_backend_choose(options, err);
  if (!inner) return NULL;
  struct trace *trace = ts_calloc(1, sizeof *trace);
  trace->inner = inner;
  struct call call = begin(trace, "open");
  trace->state = inner->open(options, err);
  end(&call, options->path ? options->path : "", options->read_only ? "for reading" : "for writing", err);
  if (trace->state) return trace;
  free(trace);
  return NULL;
}

static void trace_close(void *state) {
  struct trace *trace = state;
  struct call call = begin(trace, "close");
  trace->inner->close(trace->state);
  end(&call, "", "done", NULL);
  free(trace);
}

static const char *trace_salt(const void *state) {
  const struct trace *trace = state;
  return trace->inner->salt(trace->state);
}

static uint64_t trace_damage_count(void *state) {
  const struct trace *trace = state;
  return trace->inner->damage_count ? trace->inner->damage_count(trace->state) : 0;
}

static bool trace_is_written_by(void *state, int64_t process_id, const char *process) {
  const struct trace *trace = state;
  return trace->inner->is_written_by ? trace->inner->is_written_by(trace->state, process_id, process)
                                     : ts_process_is_alive(process_id, process);
}

static bool trace_write(void *state, const struct ts_batch *batch, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "write");
  const bool ok = trace->inner->write(trace->state, batch, err);
  ts_auto(ts_str_release) struct ts_str subject = {0};
  ts_str_addf(&subject, "%zu rows, %zu products", batch->entry_count, batch->product_count);
  end(&call, ts_str_get(&subject), "done", err);
  return ok;
}

static bool trace_find(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                       struct ts_record *record, struct ts_error *err) {
  struct trace *trace = state;
  char hex[17];
  struct call call = begin(trace, by == TS_STORE_BY_KEY ? "find" : "find_content");
  return answer(&call, short_hex(&key->digest, hex), trace->inner->find(trace->state, by, key, arena, record, err),
                err);
}

static bool trace_records_of(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                             struct ts_record **records, size_t *count, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "records_of");
  return done(&call, operation, trace->inner->records_of(trace->state, operation, limit, arena, records, count, err),
              err);
}

static bool trace_has_product(void *state, const struct ts_sha256 *digest) {
  struct trace *trace = state;
  char hex[17];
  struct call call = begin(trace, "has_product");
  return answer(&call, short_hex(digest, hex), trace->inner->has_product(trace->state, digest), NULL);
}

static bool trace_fetch(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err) {
  struct trace *trace = state;
  char hex[17];
  struct call call = begin(trace, "fetch");
  return answer(&call, short_hex(digest, hex), trace->inner->fetch(trace->state, digest, packed, err), err);
}

static bool trace_forget(void *state, const struct ts_sha256 *digest, struct ts_error *err) {
  struct trace *trace = state;
  char hex[17];
  struct call call = begin(trace, "forget");
  return done(&call, short_hex(digest, hex), trace->inner->forget(trace->state, digest, err), err);
}

static bool trace_run_insert(void *state, const struct ts_store_run *run, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "run_insert");
  return answer(&call, run->row.id, trace->inner->run_insert(trace->state, run, err), err);
}

static bool trace_run_update(void *state, const struct ts_store_run_change *change, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "run_update");
  return answer(&call, change->id, trace->inner->run_update(trace->state, change, err), err);
}

static bool trace_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                           struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "run_list");
  return done(&call, "", trace->inner->run_list(trace->state, arena, runs, count, err), err);
}

static bool trace_task_list(void *state, const char *run, uint64_t since, size_t limit, struct ts_arena *arena,
                            struct ts_task_row **rows, size_t *count, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "task_list");
  return done(&call, run, trace->inner->task_list(trace->state, run, since, limit, arena, rows, count, err), err);
}

static bool trace_task_end(void *state, const char *run, uint64_t *number, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "task_end");
  return done(&call, run, trace->inner->task_end(trace->state, run, number, err), err);
}

static bool trace_usage(void *state, struct ts_store_usage *usage, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "usage");
  return done(&call, "", trace->inner->usage(trace->state, usage, err), err);
}

static bool trace_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                            struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "file_find");
  return answer(&call, "", trace->inner->file_find(trace->state, file, digest, err), err);
}

static bool trace_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                           struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "file_put");
  return done(&call, "", trace->inner->file_put(trace->state, file, digest, err), err);
}

static bool trace_cost_list(void *state, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                            struct ts_error *err) {
  struct trace *trace = state;
  if (!trace->inner->cost_list) return true;
  struct call call = begin(trace, "cost_list");
  *count = 0;
  return done(&call, "", trace->inner->cost_list(trace->state, arena, rows, count, err), err);
}

static bool trace_cost_put(void *state, const struct ts_cost_row *rows, size_t count, bool *outdated,
                           struct ts_error *err) {
  struct trace *trace = state;
  if (!trace->inner->cost_put) return true;
  struct call call = begin(trace, "cost_put");
  const bool ok = trace->inner->cost_put(trace->state, rows, count, outdated, err);
  end(&call, "", *outdated ? "outdated" : "done", err);
  return ok;
}

static bool trace_keys(void *state, uint64_t *mark, ts_store_key_sink *sink, void *user, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "keys");
  if (!trace->inner->keys) return ts_store_backend_refuse(trace->inner, "cannot be served", err);
  return done(&call, "", trace->inner->keys(trace->state, mark, sink, user, err), err);
}

static bool can_verify(const struct trace *trace, struct ts_error *err) {
  return trace->inner->verify || ts_store_backend_refuse(trace->inner, "cannot be verified", err);
}

static bool trace_verify(void *state, struct ts_store_verification *found, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "verify");
  return done(&call, "", can_verify(trace, err) && trace->inner->verify(trace->state, found, err), err);
}

static bool trace_product_list(void *state, ts_store_product_sink *sink, void *user, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "product_list");
  if (!trace->inner->product_list) return ts_store_backend_refuse(trace->inner, "cannot be surveyed", err);
  return done(&call, "", trace->inner->product_list(trace->state, sink, user, err), err);
}

static bool trace_footprint(void *state, struct ts_store_footprint *footprint, struct ts_error *err) {
  struct trace *trace = state;
  if (!trace->inner->footprint) return true;
  struct call call = begin(trace, "footprint");
  return done(&call, "", trace->inner->footprint(trace->state, footprint, err), err);
}

static bool trace_compact(void *state, bool even_little, struct ts_error *err) {
  struct trace *trace = state;
  if (!trace->inner->compact) return true;
  struct call call = begin(trace, "compact");
  return done(&call, "", trace->inner->compact(trace->state, even_little, err), err);
}

static bool trace_sweep(void *state, struct ts_store_verification *found, struct ts_error *err) {
  struct trace *trace = state;
  if (!trace->inner->sweep) return true; /* nothing is a file there */
  struct call call = begin(trace, "sweep");
  return done(&call, "", trace->inner->sweep(trace->state, found, err), err);
}

static bool trace_drop(void *state, const struct ts_key *key, struct ts_error *err) {
  struct trace *trace = state;
  char hex[17];
  struct call call = begin(trace, "drop");
  return done(&call, short_hex(&key->digest, hex), can_verify(trace, err) && trace->inner->drop(trace->state, key, err),
              err);
}

static bool trace_refresh(void *state, struct ts_error *err) {
  struct trace *trace = state;
  struct call call = begin(trace, "refresh");
  return done(&call, "", !trace->inner->refresh || trace->inner->refresh(trace->state, err), err);
}

const struct ts_store_backend ts_store_trace = {
    .name = "trace",
    .open = trace_open,
    .close = trace_close,
    .salt = trace_salt,
    .damage_count = trace_damage_count,
    .is_written_by = trace_is_written_by,
    .write = trace_write,
    .find = trace_find,
    .records_of = trace_records_of,
    .has_product = trace_has_product,
    .fetch = trace_fetch,
    .forget = trace_forget,
    .run_insert = trace_run_insert,
    .run_update = trace_run_update,
    .run_list = trace_run_list,
    .task_list = trace_task_list,
    .task_end = trace_task_end,
    .usage = trace_usage,
    .file_find = trace_file_find,
    .file_put = trace_file_put,
    .cost_list = trace_cost_list,
    .cost_put = trace_cost_put,
    .keys = trace_keys,
    .product_list = trace_product_list,
    .footprint = trace_footprint,
    .compact = trace_compact,
    .verify = trace_verify,
    .sweep = trace_sweep,
    .drop = trace_drop,
    .refresh = trace_refresh,
};
