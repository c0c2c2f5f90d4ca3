/* The SQLite backend on its own: reopening, foreign and damaged files, readers beside a writer, interrupted runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_int.h"
#include "unit/store/support.h"

#include "base/file.h"
#include "store/backend.h"
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char folder[SCRATCH_SIZE];
static char database[SCRATCH_SIZE + 16];

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  snprintf(database, sizeof database, "%s/store.db", folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

/* Changes the database as another program would: checksums stay, unless the SQL calls row_checksum. */
static void execute(const char *sql) {
  struct ts_sqlite_connection connection = {0};
  struct ts_error err = {0};
  assert_true(
      ts_sqlite_connection_open(&connection, folder, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &err));
  if (sqlite3_exec(connection.db, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(connection.db));
  ts_sqlite_connection_close(&connection);
}

/* Makes changed rows sound. */
#define WITH_CHECKSUM(table, fields) "; UPDATE " table " SET checksum = " TS_SQL_CHECKSUM(fields)

static void assert_not_opened(bool read_only, enum ts_error_code code, const char *part) {
  struct ts_error err = {0};
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = folder, .read_only = read_only}, &err);
  assert_null(store);
  assert_int_equal(err.code, code);
  if (!strstr(err.text, part)) fail_msg("'%s' lacks '%s'", err.text, part);
  assert_int_not_equal(err.help[0], '\0');
}

static void object_path(const struct ts_sha256 *digest, char path[512]) {
  char hex[65];
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  snprintf(path, 512, "%s/objects/%.2s/%s", folder, hex, hex + 2);
}

static void everything_survives_reopening(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  char id[9];
  struct ts_store *store = open_store(folder);
  assert_true(ts_store_run_begin(store, "study", "s.json", "{}", id, &err));
  for (uint64_t i = 0; i < 100; i++) put_sample(store, i, i % 10 ? 200 : 100000);
  assert_true(ts_store_run_update(store, id, "done", "{}", &err));
  ts_store_close(store); /* without a flush: closing writes what is queued */
  store = open_store(folder);
  for (uint64_t i = 0; i < 100; i++) assert_sample_whole(store, i, i % 10 ? 200 : 100000);
  struct ts_run_row *rows;
  size_t count;
  assert_true(ts_store_run_list(store, &arena, &rows, &count, &err));
  assert_int_equal(count, 1);
  assert_string_equal(rows[0].id, id);
  assert_string_equal(rows[0].state, "done");
  ts_store_close(store);
}

static void salt_comes_from_the_store(void **state) {
  (void)state;
  ts_store_close(open_store(folder));
  execute("UPDATE meta SET value = 'after the accident' WHERE name = 'salt'");
  struct ts_store *store = open_store(folder);
  assert_string_equal(ts_store_salt(store), "after the accident");
  ts_store_close(store);
}

/* Small products lie in the database, large ones in files; the limit counts packed bytes. */
static void products_lie_where_they_should(void **state) {
  (void)state;
  struct ts_store *store = open_store(folder);
  size_t inline_count = 0;
  size_t file_count = 0;
  /* Random bytes do not compress: the packed size grows with the size by one byte at a time. */
  for (uint64_t i = 0; i < 200; i++) {
    struct sample sample;
    const size_t size_bytes = TS_STORE_INLINE_BYTES - 150 + i;
    struct ts_str packed = {0};
    struct ts_error err = {0};
    sample_init(&sample, i, size_bytes);
    assert_true(ts_data_pack(sample.data, &packed, &err));
    ts_store_put(store, &sample.record, &sample.data);
    flush(store);
    char path[512];
    object_path(&sample.output.digest, path);
    const bool is_file = packed.length > TS_STORE_INLINE_BYTES;
    assert_int_equal(ts_file_exists(path), is_file);
    inline_count += !is_file;
    file_count += is_file;
    assert_sample_whole(store, i, size_bytes);
    ts_str_release(&packed);
    sample_release(&sample);
  }
  assert_true(inline_count > 20 && file_count > 20);
  ts_store_close(store);
}

static void second_writer_is_told_who_writes(void **state) {
  (void)state;
  char pid[32];
  struct ts_store *store = open_store(folder);
  snprintf(pid, sizeof pid, "process %ld", (long)getpid());
  assert_not_opened(false, TS_ERR_STORE_BUSY, pid);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct ts_error err = {0};
    const struct ts_store *second = ts_store_open(&(struct ts_store_options){.path = folder}, &err);
    _exit(!second && err.code == TS_ERR_STORE_BUSY && strstr(err.text, pid) ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ts_store_close(store);
  ts_store_close(open_store(folder));
}

/* Opens for reading in another process, as `tessera status` does, and looks for records below `count`. */
static int read_in_child(uint64_t count) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct ts_error err = {0};
    struct ts_store *reader = ts_store_open(&(struct ts_store_options){.path = folder, .read_only = true}, &err);
    uint64_t found = 0;
    for (uint64_t i = 0; reader && i < count; i++) found += has_record(reader, i);
    _exit(reader && found == count ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void reading_works_while_another_writes(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  char id[9];
  struct ts_store *writer = open_store(folder);
  assert_true(ts_store_run_begin(writer, "study", "s.json", "{}", id, &err));
  struct ts_store *reader = open_to_read(folder);
  for (uint64_t i = 0; i < 50; i++) {
    put_sample(writer, i, i % 2 ? 100 : 70000);
    flush(writer);
    assert_sample_whole(reader, i, i % 2 ? 100 : 70000);
    if (i % 10 == 0) assert_int_equal(read_in_child(i + 1), 0);
  }
  struct ts_run_row *rows;
  size_t count;
  assert_true(ts_store_run_list(reader, &arena, &rows, &count, &err));
  assert_int_equal(count, 1);
  assert_string_equal(rows[0].state, "running");
  ts_store_close(writer);
  assert_sample_whole(reader, 49, 100); /* the writer's end folds the log; the reader goes on */
  ts_store_close(reader);
}

static void a_reader_changes_nothing(void **state) {
  (void)state;
  struct ts_error err = {0};
  char id[9];
  struct ts_sha256 digest;
  struct ts_file_identity identity;
  ts_store_close(open_store(folder));
  struct ts_store *reader = open_to_read(folder);
  put_sample(reader, 1, 100);
  assert_false(has_record(reader, 1));
  assert_false(ts_store_flush(reader, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  ts_error_clear(&err);
  assert_false(ts_store_run_begin(reader, "run", "w.json", "{}", id, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  ts_error_clear(&err);
  assert_false(ts_store_run_update(reader, "00000000", "done", "", &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  ts_error_clear(&err);
  assert_true(ts_store_file_digest(reader, database, &digest, &identity, &err));
  ts_store_close(reader);
}

static void reading_without_a_store_fails(void **state) {
  (void)state;
  assert_not_opened(true, TS_ERR_FILE_NOT_FOUND, "there is no store");
  struct stat status;
  assert_int_not_equal(stat(database, &status), 0); /* and makes none */
}

static void set_mode(const char *ending, mode_t mode) {
  char path[SCRATCH_SIZE + 32];
  snprintf(path, sizeof path, "%s%s", database, ending);
  if (chmod(path, mode) != 0) assert_int_equal(errno, ENOENT);
}

/* A user whom the owner lets read the files, but not write the folder, with and without the log of a writer in it. */
static void reading_needs_no_permission_to_write(void **state) {
  (void)state;
  if (geteuid() != 0) skip(); /* only root can become somebody else; others are not hindered by the mode below */
  const struct passwd *nobody = getpwnam("nobody");
  if (!nobody) skip();
  struct ts_store *store = open_store(folder);
  put_sample(store, 0, 100);
  flush(store);
  for (int writing = 1; writing >= 0; writing--) {
    if (!writing) ts_store_close(store);
    assert_int_equal(chmod(folder, 0755), 0);
    set_mode("", 0644);
    set_mode("-wal", 0644);
    set_mode("-shm", 0644);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      struct ts_error err = {0};
      if (setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0) _exit(2);
      struct ts_store *reader = ts_store_open(&(struct ts_store_options){.path = folder, .read_only = true}, &err);
      if (!reader) fprintf(stderr, "%s\n", err.text);
      _exit(reader && has_record(reader, 0) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

static void write_file(const char *path, const void *bytes, size_t size) {
  struct ts_error err = {0};
  assert_true(ts_file_write(path, bytes, size, &err));
}

static void foreign_files_are_refused(void **state) {
  (void)state;
  static const char text[] = "This is not a database, but a letter that somebody keeps under this name. It is long "
                             "enough to be mistaken for the first page of one.";
  write_file(database, text, sizeof text);
  assert_not_opened(false, TS_ERR_STORE_FORMAT, "not a store");
  assert_not_opened(true, TS_ERR_STORE_FORMAT, "not a store");
  struct ts_str kept = {0};
  struct ts_error err = {0};
  assert_true(ts_file_read(database, 0, &kept, &err));
  assert_int_equal(kept.length, sizeof text);
  assert_memory_equal(kept.data, text, sizeof text);
  ts_str_release(&kept);
  assert_int_equal(unlink(database), 0);
  execute("CREATE TABLE bookmarks(url TEXT)");
  assert_not_opened(false, TS_ERR_STORE_FORMAT, "another program");
  assert_not_opened(true, TS_ERR_STORE_FORMAT, "another program");
}

/* Those that programs before the first release made, and one of a later program. A refused store is left as it is. */
static void other_schemas_are_refused(void **state) {
  (void)state;
  static const char *const numbers[] = {"999", "5", "3", "1", "0"};
  struct ts_store *store = open_store(folder);
  put_sample(store, 1, 100);
  ts_store_close(store);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char sql[80], part[80];
    snprintf(sql, sizeof sql, "UPDATE meta SET value = '%s' WHERE name = 'schema'", numbers[i]);
    execute(sql);
    snprintf(part, sizeof part, "has schema %s, this program knows only schema 4", numbers[i]);
    assert_not_opened(false, TS_ERR_STORE_FORMAT, part);
    assert_not_opened(true, TS_ERR_STORE_FORMAT, part);
  }
  execute("UPDATE meta SET value = '4' WHERE name = 'schema'");
  store = open_store(folder);
  assert_sample_whole(store, 1, 100);
  ts_store_close(store);
}

static void a_file_is_no_folder(void **state) {
  (void)state;
  struct ts_error err = {0};
  write_file(database, "x", 1);
  assert_null(ts_store_open(&(struct ts_store_options){.path = database}, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
}

static void truncated_database_is_told(void **state) {
  (void)state;
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < 300; i++) put_sample(store, i, 500);
  ts_store_close(store);
  struct stat status;
  assert_int_equal(stat(database, &status), 0);
  static const int parts[] = {90, 50, 10};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(truncate(database, status.st_size * parts[i] / 100), 0);
    assert_not_opened(false, TS_ERR_STORE_DAMAGED, "malformed");
  }
}

/* A page in the middle is overwritten: some questions fail with an error, none crashes, nothing wrong is believed. */
static void damaged_pages_are_errors(void **state) {
  (void)state;
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < 300; i++) put_sample(store, i, 500);
  ts_store_close(store);
  char junk[4096];
  memset(junk, 0xA5, sizeof junk);
  int fd = open(database, O_RDWR);
  assert_true(fd >= 0);
  const off_t size = lseek(fd, 0, SEEK_END);
  for (off_t place = 20 * 4096; place + 4096 <= size; place += 3 * 4096) {
    assert_int_equal(pwrite(fd, junk, sizeof junk, place), sizeof junk);
  }
  close(fd);
  struct ts_error opening = {0};
  store = ts_store_open(&(struct ts_store_options){.path = folder}, &opening);
  if (!store) return;
  size_t failures = 0;
  for (uint64_t i = 0; i < 300; i++) {
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    struct ts_error err = {0};
    struct ts_record record;
    const struct ts_key key = key_of("lineage", i);
    struct sample sample;
    sample_init(&sample, i, 500);
    if (ts_store_find(store, &key, &arena, &record, &err)) assert_keys_equal(&record.key, &key);
    failures += err.code != TS_ERR_OK;
    ts_error_clear(&err);
    struct ts_data *data = ts_store_load(store, &sample.output.digest, &err);
    if (data) assert_memory_equal(ts_data_bytes(data, &(size_t){0}), ts_data_bytes(sample.data, &(size_t){0}), 500);
    ts_data_unref(data);
    sample_release(&sample);
  }
  assert_true(failures > 0);
  ts_store_close(store);
}

/* What can happen to the file of a product. */
static void remove_file(const char *path) { assert_int_equal(unlink(path), 0); }
static void shorten(const char *path) { assert_int_equal(truncate(path, 1000), 0); }
static void empty(const char *path) { assert_int_equal(truncate(path, 0), 0); }
static void flip_a_bit(const char *path) {
  int fd = open(path, O_RDWR);
  char byte;
  assert_true(fd >= 0);
  assert_int_equal(pread(fd, &byte, 1, 50000), 1);
  byte ^= 4;
  assert_int_equal(pwrite(fd, &byte, 1, 50000), 1);
  close(fd);
}
/* A whole product under the wrong name. */
static void put_another(const char *path) {
  struct ts_data *data = make_bytes(100000, 999);
  struct ts_str packed = {0};
  struct ts_error err = {0};
  assert_true(ts_data_pack(data, &packed, &err));
  write_file(path, packed.data, packed.length);
  ts_str_release(&packed);
  ts_data_unref(data);
}

static void assert_damage_is_found(struct ts_store *store, const struct ts_sha256 *digest) {
  struct ts_error err = {0};
  assert_null(ts_store_load(store, digest, &err));
  assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  assert_non_null(strstr(err.text, "computed again"));
  ts_error_clear(&err);
  assert_false(ts_store_has_product(store, digest));
  assert_null(ts_store_load(store, digest, &err)); /* the second time it is simply not there */
  assert_no_error(&err);
}

static void damaged_files_are_computed_again(void **state) {
  (void)state;
  void (*const damages[])(const char *path) = {remove_file, shorten, empty, flip_a_bit, put_another};
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    struct sample sample;
    char path[512];
    sample_init(&sample, i, 100000);
    ts_store_put(store, &sample.record, &sample.data);
    flush(store);
    object_path(&sample.output.digest, path);
    damages[i](path);
    assert_damage_is_found(store, &sample.output.digest);
    assert_false(ts_file_exists(path));
    assert_true(has_record(store, i)); /* the tombstone */
    ts_store_put(store, &sample.record, &sample.data);
    flush(store);
    assert_sample_whole(store, i, 100000);
    sample_release(&sample);
  }
  ts_store_close(store);
}

static void damaged_rows_are_computed_again(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample, 1, 500);
  struct ts_store *store = open_store(folder);
  ts_store_put(store, &sample.record, &sample.data);
  ts_store_close(store);
  execute("UPDATE product SET packed = x'00112233'");
  store = open_store(folder);
  assert_damage_is_found(store, &sample.output.digest);
  ts_store_put(store, &sample.record, &sample.data);
  flush(store);
  assert_sample_whole(store, 1, 500);
  ts_store_close(store);
  sample_release(&sample);
}

static void a_reader_reports_damage_and_leaves_it(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct sample sample;
  char path[512];
  sample_init(&sample, 1, 100000);
  struct ts_store *store = open_store(folder);
  ts_store_put(store, &sample.record, &sample.data);
  ts_store_close(store);
  object_path(&sample.output.digest, path);
  flip_a_bit(path);
  store = open_to_read(folder);
  assert_null(ts_store_load(store, &sample.output.digest, &err));
  assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  assert_true(ts_file_exists(path));
  ts_store_close(store);
  sample_release(&sample);
}

static const char *state_of_only_run(struct ts_store *store, struct ts_arena *arena) {
  struct ts_error err = {0};
  struct ts_run_row *rows;
  size_t count;
  assert_true(ts_store_run_list(store, arena, &rows, &count, &err));
  assert_int_equal(count, 1);
  return rows[0].state;
}

static void crashed_runs_are_told_as_interrupted(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char id[9];
    struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = folder}, &err);
    if (!store || !ts_store_run_begin(store, "study", "s.json", "{}", id, &err)) _exit(1);
    if (write(ready[1], id, sizeof id) != (ssize_t)sizeof id) _exit(1);
    for (;;) pause();
  }
  char id[9];
  assert_int_equal(read(ready[0], id, sizeof id), sizeof id);
  struct ts_store *reader = open_to_read(folder);
  assert_string_equal(state_of_only_run(reader, &arena), "running");
  /* A copy of the store has no writer, although the process of its run lives, and on this machine. */
  char copy[SCRATCH_SIZE], command[3 * SCRATCH_SIZE];
  scratch_create(copy);
  snprintf(command, sizeof command, "cp -r '%s/.' '%s'", folder, copy);
  assert_int_equal(system(command), 0);
  struct ts_store *copied = open_to_read(copy);
  assert_string_equal(state_of_only_run(copied, &arena), "interrupted");
  ts_store_close(copied);
  scratch_remove(copy);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_string_equal(state_of_only_run(reader, &arena), "interrupted");
  ts_store_close(reader);
  close(ready[0]);
  close(ready[1]);
  struct ts_store *store = open_store(folder);
  assert_string_equal(state_of_only_run(store, &arena), "interrupted");
  assert_true(ts_store_run_update(store, id, "running", NULL, &err)); /* resumed: it is ours now */
  assert_string_equal(state_of_only_run(store, &arena), "running");
  ts_store_close(store);
  /* a later process with our number */
  execute("UPDATE run SET process = 'another start'" WITH_CHECKSUM("run", TS_SQL_RUN_FIELDS));
  store = open_store(folder);
  assert_string_equal(state_of_only_run(store, &arena), "interrupted");
  assert_true(ts_store_run_update(store, id, "paused", NULL, &err));
  assert_string_equal(state_of_only_run(store, &arena), "paused");
  ts_store_close(store);
}

/* The running program is a file that has not changed for a while. */
static void remembered_file_digests_are_used(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_sha256 digest;
  struct ts_file_identity identity;
  struct ts_sha256 expected;
  struct ts_store *store = open_store(folder);
  struct stat status;
  assert_int_equal(stat("/proc/self/exe", &status), 0);
  while (time(NULL) - status.st_ctim.tv_sec < 2) sleep(1); /* just linked: its digest would not be kept */
  assert_true(ts_sha256_of_file("/proc/self/exe", &expected, &err));
  assert_true(ts_store_file_digest(store, "/proc/self/exe", &digest, &identity, &err));
  assert_memory_equal(&digest, &expected, sizeof digest);
  ts_store_close(store);
  /* shows that nothing is read again */
  execute("UPDATE file_digest SET digest = zeroblob(32)" WITH_CHECKSUM("file_digest", TS_SQL_FILE_FIELDS));
  memset(&expected, 0, sizeof expected);
  store = open_store(folder);
  assert_true(ts_store_file_digest(store, "/proc/self/exe", &digest, &identity, &err));
  assert_memory_equal(&digest, &expected, sizeof digest);
  ts_store_close(store);
}

/* Without the machine in it, the number of a device would name a file of another machine. */
static void digests_are_those_of_a_machine(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_sha256 digest, expected;
  struct ts_file_identity identity;
  struct stat status;
  char sql[512];
  struct ts_store *store = open_store(folder);
  assert_int_equal(stat("/proc/self/exe", &status), 0);
  while (time(NULL) - status.st_ctim.tv_sec < 2) sleep(1);
  assert_true(ts_store_file_digest(store, "/proc/self/exe", &expected, &identity, &err));
  assert_int_equal(identity.device, status.st_dev);
  ts_store_close(store);
  const uint64_t others[] = {status.st_dev, ts_store_device_of("another machine", status.st_dev)};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    snprintf(
        sql, sizeof sql,
        "UPDATE file_digest SET device = %llu, digest = zeroblob(32)" WITH_CHECKSUM("file_digest", TS_SQL_FILE_FIELDS),
        (unsigned long long)others[i]);
    execute("DELETE FROM file_digest WHERE digest = zeroblob(32)");
    execute(sql);
    store = open_store(folder);
    assert_true(ts_store_file_digest(store, "/proc/self/exe", &digest, &identity, &err));
    assert_memory_equal(&digest, &expected, sizeof digest);
    ts_store_close(store);
  }
}

static void leftover_files_are_swept(void **state) {
  (void)state;
  char path[SCRATCH_SIZE + 32];
  ts_store_close(open_store(folder));
  snprintf(path, sizeof path, "%s/objects/tmp/half", folder);
  write_file(path, "half", 4);
  ts_store_close(open_store(folder));
  assert_false(ts_file_exists(path));
}

static void unknown_backends_are_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_null(ts_store_open(&(struct ts_store_options){.path = folder, .backend = "sqlit"}, &err));
  assert_int_equal(err.code, TS_ERR_USAGE);
  assert_non_null(strstr(err.help, "sqlite"));
  ts_error_clear(&err);
  assert_null(ts_store_open(&(struct ts_store_options){.backend = "sqlite"}, &err));
  assert_int_equal(err.code, TS_ERR_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(everything_survives_reopening),
      TEST(salt_comes_from_the_store),
      TEST(products_lie_where_they_should),
      TEST(second_writer_is_told_who_writes),
      TEST(reading_works_while_another_writes),
      TEST(a_reader_changes_nothing),
      TEST(reading_without_a_store_fails),
      TEST(reading_needs_no_permission_to_write),
      TEST(foreign_files_are_refused),
      TEST(other_schemas_are_refused),
      TEST(a_file_is_no_folder),
      TEST(truncated_database_is_told),
      TEST(damaged_pages_are_errors),
      TEST(damaged_files_are_computed_again),
      TEST(damaged_rows_are_computed_again),
      TEST(a_reader_reports_damage_and_leaves_it),
      TEST(crashed_runs_are_told_as_interrupted),
      TEST(remembered_file_digests_are_used),
      TEST(digests_are_those_of_a_machine),
      TEST(leftover_files_are_swept),
      TEST(unknown_backends_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
