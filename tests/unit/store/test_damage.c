/* Damage in a store: what is not as it was written is not used, and verifying repairs it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "base/file.h"
#include "store/backend.h"
#include "store/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#define SAMPLES     40
#define LARGE_BYTES 100000 /* a file */

static char folder[SCRATCH_SIZE];
static char database[SCRATCH_SIZE + 16];

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  snprintf(database, sizeof database, "%s/store.db", folder);
  alarm(60); /* a pipe that is waited for would hang */
  return 0;
}

static int teardown(void **state) {
  (void)state;
  alarm(0);
  scratch_remove(folder);
  return 0;
}

static size_t size_of(uint64_t number) { return number % 10 == 0 ? LARGE_BYTES : 100; }

static void fill(void) {
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < SAMPLES; i++) put_sample(store, i, size_of(i));
  ts_store_close(store);
}

/* Changes the database as another program would, or a failing disk: the checksums stay. */
static void execute(const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  sqlite3_close(db);
}

/* Entry of an index in the file: the header (kinds of its columns), 32 bytes, the number of the row in one byte. */
static size_t flip_entry(const char *header, size_t header_bytes, const void *key) {
  ts_auto(ts_str_release) struct ts_str file = {0};
  struct ts_error err = {0};
  unsigned char entry[64];
  size_t flipped = 0;
  memcpy(entry, header, header_bytes);
  memcpy(entry + header_bytes, key, 32);
  assert_true(ts_file_read(database, 0, &file, &err));
  char *at = file.data;
  while ((at = memmem(at, file.length - (size_t)(at - file.data), entry, header_bytes + 32))) {
    at[header_bytes + 32] ^= 1;
    at += header_bytes + 32;
    flipped++;
  }
  const int fd = open(database, O_WRONLY);
  assert_true(fd >= 0);
  assert_int_equal(pwrite(fd, file.data, file.length, 0), (ssize_t)file.length);
  close(fd);
  return flipped;
}

static void flip_by_key(const struct ts_key *key) { assert_int_equal(flip_entry("\x03\x4c\x01", 3, key), 1); }

static struct ts_store_verification verify(struct ts_store *store) {
  struct ts_store_verification found;
  struct ts_error err = {0};
  if (!ts_store_verify(store, NULL, &found, &err)) fail_msg("%s", err.text);
  return found;
}

/* All is as it was put, and there is nothing left to repair. */
static void assert_all_whole(struct ts_store *store) {
  for (uint64_t i = 0; i < SAMPLES; i++) assert_sample_whole(store, i, size_of(i));
  const struct ts_store_verification found = verify(store);
  assert_int_equal(found.damaged_rows + found.damaged_products + found.removed_files + found.was_rebuilt, 0);
  assert_int_equal(found.products, SAMPLES);
}

static void a_whole_store_is_left_alone(void **state) {
  (void)state;
  fill();
  struct ts_store *store = open_store(folder);
  assert_all_whole(store);
  const struct ts_store_verification found = verify(store);
  assert_int_equal(found.rows, 2 * SAMPLES);
  assert_int_equal(found.files, SAMPLES / 10);
  ts_store_close(store);
}

/* The index by key leads to the neighbour of the row. */
static void swapped_index_entries_are_not_used(void **state) {
  (void)state;
  fill();
  for (uint64_t i = 5; i < 30; i += 5) flip_by_key(&(struct ts_key){key_of("lineage", i).digest});
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 5; i < 30; i++) assert_int_equal(has_record(store, i), i % 5 != 0);
  assert_int_equal(ts_store_damage_count(store), 5);
  assert_true(verify(store).was_rebuilt);
  assert_all_whole(store); /* the rows themselves were sound */
  ts_store_close(store);
}

static void swapped_content_entries_are_not_used(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record record;
  fill();
  const struct ts_key key = key_of("content", 9);
  assert_int_equal(flip_entry("\x04\x4c\x08\x01", 4, &key), 1); /* 08: is_alias is 0 */
  struct ts_store *store = open_store(folder);
  assert_false(ts_store_find_content(store, &key, &arena, &record, &err));
  assert_no_error(&err);
  assert_int_equal(ts_store_damage_count(store), 1);
  assert_true(verify(store).was_rebuilt);
  assert_true(ts_store_find_content(store, &key, &arena, &record, &err));
  assert_all_whole(store);
  ts_store_close(store);
}

/* Forgetting by a damaged index must not hit the neighbour. */
static void swapped_product_entries_harm_no_other(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct sample sample;
  fill();
  sample_init(&sample, 9, size_of(9));
  const struct ts_key key = {sample.output.digest};
  flip_by_key(&key);
  struct ts_store *store = open_store(folder);
  assert_false(ts_store_has_product(store, &sample.output.digest));
  assert_null(ts_store_load(store, &sample.output.digest, &err));
  ts_store_put(store, &sample.record, &sample.data);
  flush(store);
  for (uint64_t i = 0; i < SAMPLES; i++)
    if (i != 9) assert_sample_whole(store, i, size_of(i));
  assert_true(verify(store).was_rebuilt);
  assert_all_whole(store);
  ts_store_close(store);
  sample_release(&sample);
}

/* Whatever column of a record is another than it was: the record is not used, and goes when the store is verified. */
static void every_column_of_a_record_is_covered(void **state) {
  (void)state;
  static const char *const changes[] = {
      "key = content_key",
      "content_key = key",
      "is_alias = 1",
      "operation = 'other.operation'",
      "parameters = '{}'",
      "implementation = key",
      "numeric = 'exacu'",
      "seconds = seconds + 1",
      "peak_bytes = peak_bytes + 1",
      "run = 'x'",
      "producer = 'x'",
      "made_unix_ns = made_unix_ns + 1",
      "inputs = x''",
      "outputs = (SELECT outputs FROM record WHERE id = 4)",
      "checksum = checksum + 1",
      "checksum = NULL",
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char sql[200];
    fill();
    snprintf(sql, sizeof sql, "UPDATE record SET %s WHERE id = 8", changes[i]);
    execute(sql);
    struct ts_store *store = open_store(folder);
    size_t there = 0;
    for (uint64_t n = 0; n < SAMPLES; n++) there += has_record(store, n);
    if (there != SAMPLES - 1) fail_msg("%s: %zu records", changes[i], there);
    const struct ts_store_verification found = verify(store);
    assert_int_equal(found.damaged_rows, 1);
    assert_int_equal(found.rows, 2 * SAMPLES);
    for (uint64_t n = 0; n < SAMPLES; n++) put_sample(store, n, size_of(n));
    flush(store);
    assert_all_whole(store);
    ts_store_close(store);
    scratch_remove(folder);
  }
}

static size_t count_runs(struct ts_store *store) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_run_row *rows;
  size_t count;
  assert_true(ts_store_run_list(store, &arena, &rows, &count, &err));
  return count;
}

static size_t count_tasks(struct ts_store *store, const char *run) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_task_row *rows;
  size_t count;
  assert_true(ts_store_task_list(store, run, &arena, &rows, &count, &err));
  return count;
}

static void rows_of_other_tables_are_covered(void **state) {
  (void)state;
  struct ts_error err = {0};
  char ids[2][9];
  struct ts_store *store = open_store(folder);
  for (int i = 0; i < 2; i++) assert_true(ts_store_run_begin(store, "study", "s.json", "{\"seed\":1}", ids[i], &err));
  for (uint64_t i = 0; i < 2; i++) {
    const struct ts_task_row row = {.task = i, .stage = "s", .name = "t", .outcome = "executed", .message = ""};
    ts_store_put_task(store, ids[0], &row);
  }
  const struct ts_cost_row cost = {
      .operation = "o", .machine = "m", .measure = "px", .samples = "x", .samples_bytes = 1};
  bool outdated = true;
  assert_true(ts_store_cost_put(store, &cost, 1, &outdated, &err) && !outdated);
  ts_store_close(store);
  execute("UPDATE run SET settings = '{\"seed\":2}' WHERE number = 2; UPDATE task SET seconds = 3 WHERE task = 1;"
          "UPDATE cost SET calls = 7");
  store = open_store(folder);
  assert_int_equal(count_runs(store), 1);
  assert_int_equal(count_tasks(store, ids[0]), 1);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_cost_row *rows;
  size_t count = 9;
  assert_true(ts_store_cost_list(store, &arena, &rows, &count, &err));
  assert_int_equal(count, 0);
  assert_int_equal(ts_store_damage_count(store), 3);
  /* Nobody can have seen a damaged row: it is replaced, and damaged again for what follows. */
  assert_true(ts_store_cost_put(store, &cost, 1, &outdated, &err) && !outdated);
  assert_true(ts_store_cost_list(store, &arena, &rows, &count, &err));
  assert_int_equal(count, 1);
  execute("UPDATE cost SET calls = 7");
  assert_false(ts_store_run_update(store, ids[1], "done", "", &err)); /* would make the damage look right */
  const struct ts_store_verification found = verify(store);
  assert_int_equal(found.rows, 5);
  assert_int_equal(found.damaged_rows, 3);
  ts_error_clear(&err);
  assert_true(ts_store_run_update(store, ids[0], "done", "{}", &err));
  assert_int_equal(count_runs(store), 1);
  ts_store_close(store);
}

/* A page of damaged rows is no end of the rows, and the number of a damaged one is not the last. */
static void damaged_tasks_are_passed_over(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_task_row *rows;
  size_t count = 9;
  uint64_t end = 0;
  char id[9];
  struct ts_store *store = open_store(folder);
  assert_true(ts_store_run_begin(store, "study", "s.json", "{}", id, &err));
  for (uint64_t i = 0; i < 6; i++) {
    const struct ts_task_row row = {.task = i, .stage = "s", .name = "t", .outcome = "executed", .message = ""};
    ts_store_put_task(store, id, &row);
  }
  ts_store_close(store);
  execute(
      "UPDATE task SET seconds = 3 WHERE task IN (1, 2); UPDATE task SET task = 9223372036854775807 WHERE task = 5");
  store = open_store(folder);
  assert_true(ts_store_task_rows_since(store, id, 1, 2, &arena, &rows, &count, &err));
  assert_int_equal(count, 2);
  assert_true(rows[0].task == 3 && rows[1].task == 4);
  assert_true(ts_store_task_rows_since(store, id, 5, 2, &arena, &rows, &count, &err));
  assert_int_equal(count, 0);
  assert_true(ts_store_task_end(store, id, &end, &err));
  assert_int_equal(end, 5);
  ts_store_close(store);
}

static void damaged_file_digests_are_computed_again(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_sha256 expected, digest;
  struct ts_file_identity identity;
  struct stat status;
  assert_int_equal(stat("/proc/self/exe", &status), 0);
  while (time(NULL) - status.st_ctim.tv_sec < 2) sleep(1); /* just linked: its digest would not be kept */
  struct ts_store *store = open_store(folder);
  assert_true(ts_sha256_of_file("/proc/self/exe", &expected, &err));
  assert_true(ts_store_file_digest(store, "/proc/self/exe", &digest, &identity, &err));
  ts_store_close(store);
  execute("UPDATE file_digest SET digest = zeroblob(32)");
  store = open_store(folder);
  for (int again = 0; again < 2; again++) {
    assert_true(ts_store_file_digest(store, "/proc/self/exe", &digest, &identity, &err));
    assert_memory_equal(&digest, &expected, sizeof digest);
  }
  assert_int_equal(ts_store_damage_count(store), 1); /* the second time it was replaced */
  ts_store_close(store);
}

static void object_path(uint64_t number, char path[512]) {
  char hex[65];
  struct sample sample;
  sample_init(&sample, number, size_of(number));
  ts_hex_encode(sample.output.digest.bytes, sizeof sample.output.digest.bytes, hex);
  snprintf(path, 512, "%s/objects/%.2s/%s", folder, hex, hex + 2);
  sample_release(&sample);
}

static void write_file(const char *path, const char *text) {
  struct ts_error err = {0};
  assert_true(ts_file_write(path, text, strlen(text), &err));
}

/* A pipe, a link, nothing and other bytes in the place of products, and things that belong to no product. */
static void files_that_are_no_products(void **state) {
  (void)state;
  char path[512], stray[600];
  fill();
  object_path(0, path);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  object_path(10, path);
  snprintf(stray, sizeof stray, "%s.moved", path);
  assert_int_equal(rename(path, stray), 0);
  assert_int_equal(symlink(stray, path), 0);
  object_path(20, path);
  assert_int_equal(truncate(path, 10), 0);
  execute("UPDATE product SET packed = x'00112233' WHERE number = 6");
  struct ts_store *store = open_store(folder);
  const struct ts_store_verification found = verify(store);
  assert_int_equal(found.products, SAMPLES);
  assert_int_equal(found.damaged_products, 4);
  assert_int_equal(found.removed_files, 1); /* the stray one; the others went with their products */
  assert_int_equal(found.files, 1);
  assert_int_equal(verify(store).products, SAMPLES - 4);
  for (uint64_t i = 0; i < SAMPLES; i++) put_sample(store, i, size_of(i));
  flush(store);
  assert_all_whole(store);
  ts_store_close(store);
}

/* A file of somebody else must survive whatever waits under the names that the store uses. */
static void links_are_not_followed(void **state) {
  (void)state;
  char victim[SCRATCH_SIZE + 32], path[600], hex[65];
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct sample sample;
  snprintf(victim, sizeof victim, "%s/victim", folder);
  write_file(victim, "mine");
  struct ts_store *store = open_store(folder);
  sample_init(&sample, 0, LARGE_BYTES);
  ts_hex_encode(sample.output.digest.bytes, sizeof sample.output.digest.bytes, hex);
  snprintf(path, sizeof path, "%s/objects/tmp/%s", folder, hex);
  assert_int_equal(symlink(victim, path), 0);
  snprintf(path, sizeof path, "%s/objects/%.2s", folder, hex);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/objects/%.2s/%s", folder, hex, hex + 2);
  assert_int_equal(symlink(victim, path), 0);
  ts_store_put(store, &sample.record, &sample.data);
  flush(store);
  assert_sample_whole(store, 0, LARGE_BYTES);
  ts_store_close(store);
  sample_release(&sample);
  assert_true(ts_file_read(victim, 0, &text, &err));
  assert_string_equal(ts_str_get(&text), "mine");
}

/* Emptying the folder of unfinished files must not empty another one. */
static void linked_folders_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"objects/tmp", "objects", "store.db", "lock"};
  char other[SCRATCH_SIZE + 32], path[SCRATCH_SIZE + 64], kept[SCRATCH_SIZE + 64];
  snprintf(other, sizeof other, "%s.other", folder);
  for (size_t i = 0; i < 4; i++) {
    struct ts_error err = {0};
    ts_store_close(open_store(folder));
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    scratch_remove(path);
    assert_int_equal(mkdir(other, 0700), 0);
    snprintf(kept, sizeof kept, "%s/tmp", other);
    assert_int_equal(mkdir(kept, 0700), 0);
    snprintf(kept, sizeof kept, "%s/letter", i == 1 ? strcat(strcpy(kept, other), "/tmp") : other);
    write_file(kept, "mine");
    assert_int_equal(symlink(i < 2 ? other : kept, path), 0);
    assert_null(ts_store_open(&(struct ts_store_options){.path = folder}, &err));
    assert_int_equal(err.code, TS_ERR_STORE);
    assert_true(strstr(err.text, i < 2 ? "objects" : names[i]) && err.help[0]);
    struct stat status;
    assert_int_equal(stat(kept, &status), 0);
    assert_int_equal(status.st_size, 4);
    scratch_remove(other);
    scratch_remove(folder);
  }
}

/* A pipe under the name of the database is refused, also for reading. */
static void a_pipe_is_no_database(void **state) {
  (void)state;
  assert_int_equal(mkfifo(database, 0600), 0);
  for (int read_only = 0; read_only < 2; read_only++) {
    struct ts_error err = {0};
    assert_null(ts_store_open(&(struct ts_store_options){.path = folder, .read_only = read_only}, &err));
    assert_int_equal(err.code, TS_ERR_STORE);
    assert_non_null(strstr(err.text, "not a plain file"));
  }
}

static void files_are_private(void **state) {
  (void)state;
  static const char *const names[] = {"", "/store.db", "/lock", "/objects", "/objects/tmp"};
  char path[SCRATCH_SIZE + 32], object[512];
  struct stat status;
  scratch_remove(folder);
  const mode_t before = umask(002);
  fill();
  umask(before);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s%s", folder, names[i]);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0077, 0);
  }
  object_path(0, object);
  assert_int_equal(stat(object, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
}

struct written {
  struct sample samples[2];
  struct ts_batch_product products[2];
  struct ts_batch_entry entries[2];
  struct ts_str packed[2];
};

static void written_init(struct written *w) {
  struct ts_error err = {0};
  memset(w, 0, sizeof *w);
  for (uint64_t i = 0; i < 2; i++) {
    sample_init(&w->samples[i], i, LARGE_BYTES);
    assert_true(ts_data_pack(w->samples[i].data, &w->packed[i], &err));
    w->products[i] = (struct ts_batch_product){w->samples[i].output.digest, LARGE_BYTES, ts_str_get(&w->packed[i]),
                                               w->packed[i].length};
    w->entries[i].record = &w->samples[i].record;
  }
}

static void written_release(struct written *w) {
  for (int i = 0; i < 2; i++) {
    sample_release(&w->samples[i]);
    ts_str_release(&w->packed[i]);
  }
}

/* A batch of a worker that did not know that a product was there, and that fails: only what it added goes. */
static void a_failed_batch_takes_back_only_its_own(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct written w;
  written_init(&w);
  void *sqlite = ts_store_sqlite.open(&(struct ts_store_options){.path = folder}, &err);
  assert_no_error(&err);
  const struct ts_batch first = {.products = w.products, .product_count = 1, .entries = w.entries, .entry_count = 1};
  assert_true(ts_store_sqlite.write(sqlite, &first, &err));
  execute("CREATE TRIGGER refuse BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'refused'); END");
  const struct ts_batch second = {
      .products = w.products, .product_count = 2, .entries = w.entries + 1, .entry_count = 1};
  assert_false(ts_store_sqlite.write(sqlite, &second, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  ts_error_clear(&err);
  ts_auto(ts_str_release) struct ts_str packed = {0};
  assert_true(ts_store_sqlite.fetch(sqlite, &w.products[0].digest, &packed, &err));
  assert_no_error(&err);
  assert_int_equal(packed.length, w.products[0].packed_bytes);
  assert_memory_equal(packed.data, w.products[0].packed, packed.length);
  char path[512], hex[65];
  ts_hex_encode(w.products[1].digest.bytes, 32, hex);
  snprintf(path, sizeof path, "%s/objects/%.2s/%s", folder, hex, hex + 2);
  assert_false(ts_file_exists(path));
  ts_store_sqlite.close(sqlite);
  written_release(&w);
}

/* Pages that cannot be read at all: what lies before and behind them is saved. */
static void unreadable_pages_are_left_out(void **state) {
  (void)state;
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < 1000; i++) put_sample(store, i, 300);
  ts_store_close(store);
  const int fd = open(database, O_RDWR);
  char junk[16384];
  memset(junk, 0xA5, sizeof junk);
  const off_t size = lseek(fd, 0, SEEK_END);
  assert_int_equal(pwrite(fd, junk, sizeof junk, size / 2 / 16384 * 16384), (ssize_t)sizeof junk);
  close(fd);
  store = open_store(folder);
  const struct ts_store_verification found = verify(store);
  assert_true(found.was_rebuilt);
  size_t there = 0;
  for (uint64_t i = 0; i < 1000; i++) there += has_record(store, i);
  assert_true(there > 500);
  for (uint64_t i = 0; i < 1000; i++) put_sample(store, i, 300);
  flush(store);
  for (uint64_t i = 0; i < 1000; i++) assert_sample_whole(store, i, 300);
  assert_false(verify(store).was_rebuilt);
  ts_store_close(store);
}

/* A store that says otherwise than one that was made from nothing. */
static void wrong_records_are_found_by_comparing(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_store_comparison result;
  struct sample wrong;
  char other[SCRATCH_SIZE + 16];
  snprintf(other, sizeof other, "%s/fresh", folder);
  struct ts_store *fresh = open_store(other);
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < 10; i++) put_sample(fresh, i, 100);
  for (uint64_t i = 2; i < 12; i++) {
    sample_init(&wrong, i, i == 4 ? 101 : 100);
    if (i == 6) wrong.record.key = key_of("another lineage", i), wrong.output.port = "elsewhere";
    ts_store_put(store, &wrong.record, &wrong.data);
    sample_release(&wrong);
  }
  flush(fresh);
  flush(store);
  assert_true(ts_store_compare(store, fresh, &arena, &result, &err));
  assert_int_equal(result.compared, 7); /* 2 to 9 but for 6, which has another key */
  assert_int_equal(result.inexact, 0);
  assert_int_equal(result.difference_count, 2);
  assert_keys_equal(&result.differences[0].key, &(struct ts_key){key_of("lineage", 4).digest});
  assert_keys_equal(&result.differences[1].key, &(struct ts_key){key_of("another lineage", 6).digest});
  assert_string_equal(result.differences[0].operation, "even.operation");
  for (uint64_t i = 2; i < 12; i++) assert_int_equal(has_record(store, i), i != 4 && i != 6);
  ts_store_close(store);
  ts_store_close(fresh);
}

/* What need not come out the same, and what depends on that, is no proof of anything. */
static void inexact_records_are_not_compared(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_store_comparison result;
  char other[SCRATCH_SIZE + 16];
  snprintf(other, sizeof other, "%s/fresh", folder);
  struct ts_store *stores[2] = {open_store(folder), open_store(other)};
  for (size_t s = 0; s < 2; s++) {
    struct sample first, second;
    sample_init(&first, 1, 100 + s);
    sample_init(&second, 2, 200 + s);
    first.record.numeric = "nondeterministic";
    second.inputs[0].key = first.record.key;
    second.record.content_key = key_of("content", 20 + s); /* as its input has another content */
    ts_store_put(stores[s], &first.record, &first.data);
    ts_store_put(stores[s], &second.record, &second.data);
    flush(stores[s]);
    sample_release(&first);
    sample_release(&second);
  }
  assert_true(ts_store_compare(stores[0], stores[1], &arena, &result, &err));
  assert_int_equal(result.inexact, 2);
  assert_int_equal(result.compared + result.difference_count, 0);
  assert_true(has_record(stores[0], 1) && has_record(stores[0], 2));
  for (size_t s = 0; s < 2; s++) ts_store_close(stores[s]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_whole_store_is_left_alone),
      TEST(swapped_index_entries_are_not_used),
      TEST(swapped_content_entries_are_not_used),
      TEST(swapped_product_entries_harm_no_other),
      TEST(every_column_of_a_record_is_covered),
      TEST(rows_of_other_tables_are_covered),
      TEST(damaged_tasks_are_passed_over),
      TEST(damaged_file_digests_are_computed_again),
      TEST(files_that_are_no_products),
      TEST(links_are_not_followed),
      TEST(linked_folders_are_refused),
      TEST(a_pipe_is_no_database),
      TEST(files_are_private),
      TEST(a_failed_batch_takes_back_only_its_own),
      TEST(unreadable_pages_are_left_out),
      TEST(wrong_records_are_found_by_comparing),
      TEST(inexact_records_are_not_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
