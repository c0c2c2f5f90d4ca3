/* The remote backend: asks the process that serves the store (store/serve.h), one request at a time.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A worker asks for thousands of keys that nobody has. It therefore holds the beginnings of all keys that the served
 * store had at the last refresh, and of those that it wrote itself: what is not among them is not asked for. A record
 * that is found brings along which of its products are there, as that is the next question. */
#include "base/alloc.h"
#include "base/lock.h"
#include "message/client.h"
#include "store/copy.h"
#include "store/key_set.h"
#include "store/remote/wire_int.h"

#include <pthread.h>
#include <string.h>

#define PRESENT_SLOTS 4096 /* a power of two */

struct remote {
  struct ts_message_client talk;    /* for everything but writing */
  struct ts_message_client writing; /* so that nobody waits while something is written */
  char *salt;                       /* owned; fixed */
  pthread_mutex_t known_lock;       /* guards everything below */
  struct ts_key_set known;          /* keys of the last snapshot, and those written here */
  uint64_t got;                     /* keys received so far */
  bool has_snapshot;                /* so that what is not known is not there */
  struct ts_sha256 *presences;      /* owned; products of late that are there, by the beginning of their digests */
};

/* For requests that are answered by YES alone. */
static bool ask_plain(struct ts_message_client *link, uint32_t kind, struct ts_error *err) {
  struct ts_wire answer;
  return ts_message_client_ask(link, kind, &answer, err) && ts_message_client_is_sound(link, &answer, err);
}

static void remote_close(void *state) {
  struct remote *remote = state;
  ts_message_client_release(&remote->talk);
  ts_message_client_release(&remote->writing);
  pthread_mutex_destroy(&remote->known_lock);
  ts_key_set_release(&remote->known);
  free(remote->presences);
  free(remote->salt);
  free(remote);
}

/* Connects and greets; the answer is the salt. */
static bool greet(struct ts_message_client *client, const char *path, char **salt, struct ts_error *err) {
  struct ts_wire answer;
  if (!ts_message_client_connect(client, path, err)) return false;
  ts_hold(&client->lock);
  struct ts_str *out = ts_message_client_begin(client);
  ts_wire_add_u64(out, TS_REMOTE_MAGIC);
  ts_wire_add_u32(out, TS_REMOTE_PROTOCOL);
  if (!ts_message_client_ask(client, TS_REMOTE_HELLO, &answer, err)) return false;
  free(*salt);
  *salt = ts_strdup(ts_wire_text(&answer));
  return ts_message_client_is_sound(client, &answer, err);
}

static void *remote_open(const struct ts_store_options *options, struct ts_error *err) {
  struct remote *remote = ts_calloc(1, sizeof *remote);
  ts_message_client_init(&remote->talk, TS_ERR_STORE);
  ts_message_client_init(&remote->writing, TS_ERR_STORE);
  pthread_mutex_init(&remote->known_lock, NULL);
  remote->presences = ts_calloc(PRESENT_SLOTS, sizeof *remote->presences);
  if (greet(&remote->writing, options->path, &remote->salt, err) &&
      greet(&remote->talk, options->path, &remote->salt, err)) {
    return remote;
  }
  remote_close(remote);
  return NULL;
}

static const char *remote_salt(const void *state) {
  const struct remote *remote = state;
  return remote->salt;
}

static struct ts_sha256 *presence_of(struct remote *remote, const struct ts_sha256 *digest) {
  size_t place;
  memcpy(&place, digest->bytes, sizeof place);
  return &remote->presences[place % PRESENT_SLOTS];
}

static const struct ts_sha256 none; /* a free place; no bytes are known to have this digest */

static void set_present(struct remote *remote, const struct ts_sha256 *digest, bool is_there) {
  ts_hold(&remote->known_lock);
  struct ts_sha256 *presence = presence_of(remote, digest);
  if (is_there) *presence = *digest;
  if (!is_there && memcmp(presence, digest, sizeof *digest) == 0) *presence = none;
}

static bool is_present(struct remote *remote, const struct ts_sha256 *digest) {
  ts_hold(&remote->known_lock);
  return memcmp(presence_of(remote, digest), digest, sizeof *digest) == 0 && memcmp(digest, &none, sizeof none) != 0;
}

/* Before it is written: what is written here may be asked for here. */
static void know_batch(struct remote *remote, const struct ts_batch *batch) {
  ts_hold(&remote->known_lock);
  for (size_t i = 0; i < batch->entry_count; i++) {
    const struct ts_record *record = batch->entries[i].record;
    if (!record) continue;
    ts_key_set_add(&remote->known, ts_key_set_hash(&record->key));
    ts_key_set_add(&remote->known, ts_key_set_hash(&record->content_key));
  }
}

static bool remote_write(void *state, const struct ts_batch *batch, struct ts_error *err) {
  struct remote *remote = state;
  know_batch(remote, batch);
  ts_hold(&remote->writing.lock);
  ts_remote_add_batch(ts_message_client_begin(&remote->writing), batch);
  const bool ok = ask_plain(&remote->writing, TS_REMOTE_WRITE, err);
  for (size_t i = 0; ok && i < batch->product_count; i++) set_present(remote, &batch->products[i].digest, true);
  return ok;
}

static bool may_hold(struct remote *remote, const struct ts_key *key) {
  ts_hold(&remote->known_lock);
  return !remote->has_snapshot || ts_key_set_has(&remote->known, ts_key_set_hash(key));
}

/* Under lock. */
static bool read_found(struct remote *remote, struct ts_wire *answer, struct ts_arena *arena, struct ts_record *record,
                       struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena scratch = {0};
  struct ts_record found;
  ts_remote_read_record(answer, &scratch, &found);
  const unsigned char *presences = answer->next;
  for (size_t i = 0; i < found.output_count; i++) ts_wire_u8(answer);
  if (!ts_message_client_is_sound(&remote->talk, answer, err)) return false;
  for (size_t i = 0; i < found.output_count; i++) set_present(remote, &found.outputs[i].digest, presences[i]);
  ts_record_copy(&found, arena, record);
  return true;
}

static bool remote_find(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                        struct ts_record *record, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  if (!may_hold(remote, key)) return false;
  ts_hold(&remote->talk.lock);
  struct ts_str *out = ts_message_client_begin(&remote->talk);
  ts_wire_add_u8(out, (uint8_t)by);
  ts_wire_add_raw(out, key->digest.bytes, sizeof key->digest.bytes);
  return ts_message_client_ask(&remote->talk, TS_REMOTE_FIND, &answer, err) &&
         read_found(remote, &answer, arena, record, err);
}

/* Under lock. */
static bool read_records(struct remote *remote, struct ts_wire *answer, struct ts_arena *arena,
                         struct ts_record **records, size_t *count, struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena scratch = {0};
  const size_t there = ts_wire_count(answer, TS_REMOTE_RECORD_BYTES);
  struct ts_record *found = ts_arena_array(&scratch, there, sizeof *found);
  for (size_t i = 0; i < there; i++) ts_remote_read_record(answer, &scratch, &found[i]);
  if (!ts_message_client_is_sound(&remote->talk, answer, err)) return false;
  *count = there;
  *records = ts_arena_array(arena, there, sizeof **records);
  for (size_t i = 0; i < there; i++) ts_record_copy(&found[i], arena, &(*records)[i]);
  return true;
}

static bool remote_records_of(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                              struct ts_record **records, size_t *count, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  *records = NULL;
  *count = 0;
  ts_hold(&remote->talk.lock);
  struct ts_str *out = ts_message_client_begin(&remote->talk);
  ts_wire_add_text(out, operation);
  ts_wire_add_u64(out, limit);
  return ts_message_client_ask(&remote->talk, TS_REMOTE_RECORDS_OF, &answer, err) &&
         read_records(remote, &answer, arena, records, count, err);
}

static bool ask_digest(struct remote *remote, uint32_t kind, const struct ts_sha256 *digest, struct ts_error *err) {
  ts_hold(&remote->talk.lock);
  ts_wire_add_raw(ts_message_client_begin(&remote->talk), digest->bytes, sizeof digest->bytes);
  return ask_plain(&remote->talk, kind, err);
}

static bool remote_has_product(void *state, const struct ts_sha256 *digest) {
  struct ts_error ignored = {0}; /* a product that cannot be asked for is as good as none */
  return is_present(state, digest) || ask_digest(state, TS_REMOTE_HAS_PRODUCT, digest, &ignored);
}

static bool remote_recalls_product(void *state, const struct ts_sha256 *digest) { return is_present(state, digest); }

static bool remote_fetch(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  ts_hold(&remote->talk.lock);
  ts_wire_add_raw(ts_message_client_begin(&remote->talk), digest->bytes, sizeof digest->bytes);
  const bool found = ts_message_client_ask(&remote->talk, TS_REMOTE_FETCH, &answer, err);
  if (found) ts_str_add_bytes(packed, answer.next, answer.left);
  if (!found) set_present(remote, digest, false);
  return found;
}

static bool remote_forget(void *state, const struct ts_sha256 *digest, struct ts_error *err) {
  set_present(state, digest, false);
  return ask_digest(state, TS_REMOTE_FORGET, digest, err);
}

static bool remote_run_insert(void *state, const struct ts_store_run *run, struct ts_error *err) {
  struct remote *remote = state;
  ts_hold(&remote->talk.lock);
  ts_remote_add_row(ts_message_client_begin(&remote->talk), &ts_run_columns, run);
  return ask_plain(&remote->talk, TS_REMOTE_RUN_INSERT, err);
}

static bool remote_run_update(void *state, const struct ts_store_run_change *change, struct ts_error *err) {
  struct remote *remote = state;
  ts_hold(&remote->talk.lock);
  ts_remote_add_row(ts_message_client_begin(&remote->talk), &ts_run_change_columns, change);
  return ask_plain(&remote->talk, TS_REMOTE_RUN_UPDATE, err);
}

/* Under lock. */
static bool read_runs(struct remote *remote, struct ts_wire *answer, struct ts_arena *arena, struct ts_store_run **runs,
                      size_t *count, struct ts_error *err) {
  const size_t there = ts_wire_count(answer, TS_REMOTE_RUN_BYTES);
  *runs = ts_arena_array(arena, there, sizeof **runs);
  for (size_t i = 0; i < there; i++) {
    struct ts_store_run run;
    ts_remote_read_row(answer, &ts_run_columns, &run);
    ts_store_run_copy(&run, arena, &(*runs)[i]);
  }
  *count = there;
  return ts_message_client_is_sound(&remote->talk, answer, err);
}

static bool remote_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                            struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  *runs = NULL;
  *count = 0;
  ts_hold(&remote->talk.lock);
  ts_message_client_begin(&remote->talk);
  return ts_message_client_ask(&remote->talk, TS_REMOTE_RUN_LIST, &answer, err) &&
         read_runs(remote, &answer, arena, runs, count, err);
}

/* Under lock. */
static bool read_tasks(struct remote *remote, struct ts_wire *answer, struct ts_arena *arena, struct ts_task_row **rows,
                       size_t *count, struct ts_error *err) {
  const size_t there = ts_wire_count(answer, TS_REMOTE_TASK_BYTES);
  *rows = ts_arena_array(arena, there, sizeof **rows);
  for (size_t i = 0; i < there; i++) {
    struct ts_task_row row;
    ts_remote_read_row(answer, &ts_task_columns, &row);
    ts_task_row_copy(&row, arena, &(*rows)[i]);
  }
  *count = there;
  return ts_message_client_is_sound(&remote->talk, answer, err);
}

static bool remote_task_list(void *state, const char *run, uint64_t since, size_t limit, struct ts_arena *arena,
                             struct ts_task_row **rows, size_t *count, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  *rows = NULL;
  *count = 0;
  ts_hold(&remote->talk.lock);
  struct ts_str *out = ts_message_client_begin(&remote->talk);
  ts_wire_add_text(out, run);
  ts_wire_add_u64(out, since);
  ts_wire_add_u64(out, limit);
  return ts_message_client_ask(&remote->talk, TS_REMOTE_TASK_LIST, &answer, err) &&
         read_tasks(remote, &answer, arena, rows, count, err);
}

static bool remote_task_end(void *state, const char *run, uint64_t *end, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  *end = 0;
  ts_hold(&remote->talk.lock);
  ts_wire_add_text(ts_message_client_begin(&remote->talk), run);
  if (!ts_message_client_ask(&remote->talk, TS_REMOTE_TASK_END, &answer, err)) return false;
  *end = ts_wire_u64(&answer);
  return ts_message_client_is_sound(&remote->talk, &answer, err);
}

static bool remote_usage(void *state, struct ts_store_usage *usage, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  ts_hold(&remote->talk.lock);
  ts_message_client_begin(&remote->talk);
  if (!ts_message_client_ask(&remote->talk, TS_REMOTE_USAGE, &answer, err)) return false;
  usage->records = ts_wire_u64(&answer);
  usage->products = ts_wire_u64(&answer);
  usage->product_bytes = ts_wire_u64(&answer);
  usage->packed_bytes = ts_wire_u64(&answer);
  return ts_message_client_is_sound(&remote->talk, &answer, err);
}

static bool remote_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                             struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  ts_hold(&remote->talk.lock);
  ts_remote_add_row(ts_message_client_begin(&remote->talk), &ts_file_columns, file);
  if (!ts_message_client_ask(&remote->talk, TS_REMOTE_FILE_FIND, &answer, err)) return false;
  ts_wire_raw(&answer, digest->bytes, sizeof digest->bytes);
  return ts_message_client_is_sound(&remote->talk, &answer, err);
}

static bool remote_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                            struct ts_error *err) {
  struct remote *remote = state;
  ts_hold(&remote->talk.lock);
  struct ts_str *out = ts_message_client_begin(&remote->talk);
  ts_remote_add_row(out, &ts_file_columns, file);
  ts_wire_add_raw(out, digest->bytes, sizeof digest->bytes);
  return ask_plain(&remote->talk, TS_REMOTE_FILE_PUT, err);
}

/* Under lock. */
static bool read_keys(struct remote *remote, struct ts_wire *answer, struct ts_error *err) {
  const bool too_many = ts_wire_u8(answer) != 0;
  const size_t count = too_many ? 0 : ts_wire_count(answer, sizeof(uint64_t));
  pthread_mutex_lock(&remote->known_lock);
  for (size_t i = 0; i < count; i++) {
    const uint64_t hash = ts_wire_u64(answer);
    if (hash) ts_key_set_add(&remote->known, hash);
  }
  remote->got += count;
  remote->has_snapshot = !too_many && ts_wire_is_whole(answer);
  pthread_mutex_unlock(&remote->known_lock);
  return ts_message_client_is_sound(&remote->talk, answer, err);
}

static bool remote_refresh(void *state, struct ts_error *err) {
  struct remote *remote = state;
  struct ts_wire answer;
  ts_hold(&remote->talk.lock);
  struct ts_str *out = ts_message_client_begin(&remote->talk);
  pthread_mutex_lock(&remote->known_lock);
  ts_wire_add_u64(out, remote->got);
  memset(remote->presences, 0, PRESENT_SLOTS * sizeof *remote->presences);
  pthread_mutex_unlock(&remote->known_lock);
  return ts_message_client_ask(&remote->talk, TS_REMOTE_REFRESH, &answer, err) && read_keys(remote, &answer, err);
}

const struct ts_store_backend ts_store_remote = {
    .name = "remote",
    .has_folder = true,
    .open = remote_open,
    .close = remote_close,
    .salt = remote_salt,
    .write = remote_write,
    .find = remote_find,
    .records_of = remote_records_of,
    .has_product = remote_has_product,
    .recalls_product = remote_recalls_product,
    .fetch = remote_fetch,
    .forget = remote_forget,
    .run_insert = remote_run_insert,
    .run_update = remote_run_update,
    .run_list = remote_run_list,
    .task_list = remote_task_list,
    .task_end = remote_task_end,
    .usage = remote_usage,
    .file_find = remote_file_find,
    .file_put = remote_file_put,
    .refresh = remote_refresh,
};
