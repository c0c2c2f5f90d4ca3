/* Verifies the store, and on request computes the products of its runs again, to compare them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Computing again works like any run: the recorded runs are repeated, with the settings they had, in an empty store
 * below the one that is verified. Records that both have under one key must have the same outputs. */
#include "api/api_int.h"
#include "order/order.h"

#include "base/alloc.h"
#include "base/file.h"
#include "store/verify.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Runs computed again, and the store they are in. */
struct recomputing {
  struct ts_past *past;     /* borrowed */
  struct ts_issues *issues; /* borrowed */
  const char *folder;       /* owned by the arena; emptied before and after */
  const char **done;        /* owned array of texts in the arena: the requests, each once */
  size_t done_count, done_capacity;
  size_t runs, skipped;
};

/* The process that holds the lock of the store is alone in it: an existing folder was left by a killed process. */
static bool make_folder(struct recomputing *r, struct ts_error *err) {
  char absolute[PATH_MAX];
  if (!realpath(ts_store_path(r->past->store), absolute)) absolute[0] = '\0';
  r->folder = ts_arena_printf(&r->past->arena, "%s/recompute", absolute);
  ts_folder_remove(r->folder);
  if (absolute[0] && mkdir(r->folder, 0700) == 0) return true;
  ts_fail(err, TS_ERR_STORE, "the folder '%s' cannot be made: %s", r->folder, strerrordesc_np(errno));
  return ts_error_help(err, "check the space and the permissions of the store");
}

/* What a run was asked for, without settings that have no influence on its products. */
static const char *essence(struct recomputing *r, const struct ts_run_row *row, const struct ts_order *order) {
  static const char *const idle[] = {"command", "output", "workers", "overlays", "settings"};
  ts_auto(json_decrefp) json_t *asked = json_copy(order->root ? order->root : order->row);
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) json_object_del(asked, idle[i]);
  struct ts_sha256 digest;
  char hex[65];
  ts_auto_free char *text = asked ? ts_order_text(asked, &digest) : NULL;
  if (text) ts_hex_encode(digest.bytes, sizeof digest.bytes, hex);
  /* Runs of one order differ in their rounds if one was stopped early. */
  const json_t *rounds = json_object_get(order->row, "rounds");
  ts_auto_free char *further = order->root && rounds ? ts_json_dump(rounds, true, false) : ts_strdup("");
  return ts_arena_printf(&r->past->arena, "%s %s %s %s", row->command, order->root ? "" : row->file, text ? hex : "",
                         further);
}

/* Whether the same was computed again already. */
static bool is_done(struct recomputing *r, const struct ts_run_row *row, const struct ts_order *order) {
  const char *text = essence(r, row, order);
  for (size_t i = 0; i < r->done_count; i++) {
    if (strcmp(r->done[i], text) == 0) return true;
  }
  r->done = ts_grow(r->done, r->done_count, &r->done_capacity, sizeof *r->done);
  r->done[r->done_count++] = text;
  return false;
}

static void warn_of_run(struct recomputing *r, const char *id, const char *text) {
  ts_issues_warn(r->issues, "run %s was not computed again: %s", id, text ? text : "some of its tasks failed");
  r->skipped++;
}

static void warn_of_reply(struct recomputing *r, const char *id, const char *reply) {
  ts_auto(json_decrefp) json_t *object = json_loads(reply, 0, NULL);
  const json_t *fault = json_array_get(json_object_get(object, "faults"), 0);
  warn_of_run(r, id, json_string_value(json_object_get(fault, "text")));
}

/* Repeats a run from its order, or, where a program kept none, from its file; false if the user stopped it. */
static bool repeat(struct recomputing *r, const struct ts_run_row *row, const struct ts_order *order) {
  const struct ts_request *asked = r->past->request;
  struct ts_request request = {.folder = asked->folder,
                               .threads = asked->threads,
                               .memory_bytes = asked->memory_bytes,
                               .data_roots = asked->data_roots,
                               .data_root_count = asked->data_root_count,
                               .operations = asked->operations,
                               .operations_count = asked->operations_count,
                               .stop = asked->stop,
                               .watch = asked->watch,
                               .observer = asked->observer};
  ts_order_restore(&r->past->arena, order, &request);
  request.file = row->file;
  request.store = ts_arena_printf(&r->past->arena, "%s/store", r->folder);
  request.output = ts_arena_printf(&r->past->arena, "%s/out-%s", r->folder, row->id);
  request.workers = 0;
  request.overlays = false;
  ts_auto_free char *reply = NULL;
  const bool is_study = strcmp(row->command, "study") == 0;
  const int code = (is_study ? ts_study_of : ts_run_of)(&request, order->root ? order : NULL, NULL, &reply);
  const bool stopped = code == 130;
  if (code == 0 || code == 4) {
    r->runs++;
  } else if (!stopped) {
    warn_of_reply(r, row->id, reply);
  }
  return !stopped;
}

/* Each run once; one whose order cannot be read is left out. */
static bool repeat_once(struct recomputing *r, const struct ts_run_row *row) {
  ts_auto(ts_order_release) struct ts_order order;
  struct ts_error trouble = {0};
  bool goes_on = true;
  if (!ts_order_load(r->past->store, row, &order, &trouble))
    warn_of_run(r, row->id, trouble.text);
  else if (!is_done(r, row, &order))
    goes_on = repeat(r, row, &order);
  return goes_on;
}

/* Those of the named file, or all. */
static bool repeat_runs(struct recomputing *r, struct ts_error *err) {
  struct ts_past *past = r->past;
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  char wanted[PATH_MAX] = "";
  if (past->request->file && !realpath(ts_request_path(past->request, &past->arena, past->request->file), wanted)) {
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "there is no file '%s'", past->request->file);
    return ts_error_help(err, "name a study or workflow that was run, or no file, to verify all runs of the store");
  }
  if (!ts_store_run_list(past->store, &past->arena, &rows, &count, err)) return false;
  for (size_t i = 0; i < count; i++) {
    if (wanted[0] && strcmp(rows[i].file, wanted) != 0) continue;
    if (!repeat_once(r, &rows[i])) return ts_fail(err, TS_ERR_CANCELLED, "stopped on request");
  }
  return true;
}

static json_t *describe_differences(const struct ts_store_comparison *comparison) {
  json_t *list = json_array();
  for (size_t i = 0; i < comparison->difference_count; i++) {
    const struct ts_store_difference *difference = &comparison->differences[i];
    char key[65];
    ts_hex_encode(difference->key.digest.bytes, sizeof difference->key.digest.bytes, key);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "operation", difference->operation, "key", key, "run", difference->run));
  }
  return list;
}

static bool compare(struct recomputing *r, json_t *object, size_t *differs, struct ts_error *err) {
  struct ts_past *past = r->past;
  const char *path = ts_arena_printf(&past->arena, "%s/store", r->folder);
  struct ts_store_comparison comparison = {0};
  struct ts_store_usage usage = {0};
  if (!ts_store_usage(past->store, &usage, err)) return false;
  if (ts_folder_exists(path)) {
    struct ts_store *fresh = ts_store_open(&(struct ts_store_options){.path = path, .read_only = true}, err);
    const bool ok = fresh && ts_store_compare(past->store, fresh, &past->arena, &comparison, err);
    ts_store_close(fresh);
    if (!ok) return false;
  }
  *differs = comparison.difference_count;
  json_object_set_new(object, "recomputed",
                      json_pack("{s:I, s:I, s:I, s:I, s:I}", "runs", (json_int_t)r->runs, "runs_left_out",
                                (json_int_t)r->skipped, "records", (json_int_t)comparison.compared, "inexact",
                                (json_int_t)comparison.inexact, "of", (json_int_t)usage.records));
  json_object_set_new(object, "differs", describe_differences(&comparison));
  return true;
}

static bool recompute(struct ts_past *past, json_t *object, size_t *differs, struct ts_error *err,
                      struct ts_issues *issues) {
  struct recomputing r = {.past = past, .issues = issues};
  const bool ok = make_folder(&r, err) && repeat_runs(&r, err) && compare(&r, object, differs, err);
  if (r.folder) ts_folder_remove(r.folder);
  free(r.done);
  return ok;
}

static void describe(const struct ts_past *past, const struct ts_store_verification *found, json_t *object) {
  json_object_set_new(object, "store", json_string(ts_store_path(past->store)));
  json_object_set_new(object, "checked",
                      json_pack("{s:I, s:I, s:I}", "rows", (json_int_t)found->rows, "products",
                                (json_int_t)found->products, "files", (json_int_t)found->files));
  json_object_set_new(object, "damaged",
                      json_pack("{s:I, s:I}", "rows", (json_int_t)found->damaged_rows, "products",
                                (json_int_t)found->damaged_products));
  json_object_set_new(object, "removed",
                      json_pack("{s:I, s:I, s:I}", "rows", (json_int_t)found->damaged_rows, "products",
                                (json_int_t)found->damaged_products, "files", (json_int_t)found->removed_files));
  json_object_set_new(object, "rebuilt", json_boolean(found->was_rebuilt));
}

/* A store that cannot even be opened is beyond repair: the advice to verify it would be circular. */
static bool open_store(struct ts_past *past, struct ts_issues *issues) {
  past->store = ts_request_open_store(past->request, false, true, issues);
  if (past->store) return true;
  struct ts_error *fault = &issues->faults.items[0];
  if (fault->code != TS_ERR_STORE_DAMAGED) return false;
  fault->help[0] = '\0';
  return ts_error_help(fault, "it cannot be repaired: move the folder away; everything in it can be computed again");
}

int ts_verify_store(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past = {.request = request};
  struct ts_store_verification found;
  struct ts_error err = {0};
  size_t differs = 0;
  json_t *object = ts_reply_new("tessera.store-verify/1");
  if (open_store(&past, &issues)) {
    bool ok = ts_store_verify(past.store, request->stop, &found, &err);
    if (ok) describe(&past, &found, object);
    ok = ok && (!request->recompute || recompute(&past, object, &differs, &err, &issues));
    if (!ok) ts_issues_fault(&issues, &err);
    ts_store_close(past.store);
    past.store = NULL; /* damage that was met is repaired, or a fault */
  }
  return ts_past_finish(&past, object, differs > 0 ? 1 : 0, reply, &issues);
}
