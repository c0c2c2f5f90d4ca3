/* Files that change while they are read: nothing read from them is used, and what was only touched is read again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/source_file.h"

#include "base/alloc.h"
#include "base/file.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char *folder, *path;
static struct ts_arena arena;

static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int setup(void **state) {
  (void)state;
  struct ts_error err = {0};
  folder = ts_folder_create_scratch(NULL, "ts_source_file", &err);
  if (!folder) return -1;
  path = ts_path_join(folder, "slide.mrxs");
  put(path, "right");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_auto_free char *companion = ts_path_join(folder, "Data0000.dat");
  unlink(path);
  unlink(companion);
  rmdir(folder);
  free(path);
  free(folder);
  ts_arena_release(&arena);
  return 0;
}

static struct ts_source_part part_of(const char *name) {
  struct ts_source_part part = {.path = name, .place = name};
  struct ts_error err = {0};
  assert_true(ts_file_digest(name, &part.digest, &part.identity, &err));
  return part;
}

static struct ts_source_file *watch(void) {
  struct ts_source_part part = part_of(path);
  return ts_source_file_create(&arena, &part, 1);
}

static void assert_changed(const struct ts_error *err, const char *how) {
  char text[512];
  snprintf(text, sizeof text, "'%s' was %s while it was being read", path, how);
  assert_int_equal(err->code, TS_ERR_DATA_CHANGED);
  assert_int_equal(ts_error_exit_code(err->code), 3);
  assert_int_equal(ts_error_number(err->code), 405);
  assert_string_equal(err->text, text);
  assert_string_equal(err->where.file, path);
  assert_true(err->help[0] != '\0');
}

/* What a reader does to the file while it reads it, call by call; 0: nothing. */
struct reader {
  const char *does; /* w: writes wrong content, t: touches, r: removes, f: fails */
  size_t calls;
  char got[16];
};

static bool read_it(void *user, struct ts_error *err) {
  struct reader *reader = user;
  char does = reader->does[reader->calls];
  reader->calls++;
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  if (!fgets(reader->got, sizeof reader->got, file)) reader->got[0] = '\0';
  fclose(file);
  if (does == 'w') put(path, "wrong");
  if (does == 't') assert_int_equal(chmod(path, 0600), 0);
  if (does == 'r') assert_int_equal(unlink(path), 0);
  return does != 'f' || ts_fail(err, TS_ERR_TASK_FAILED, "the reader failed");
}

static void a_quiet_file_is_read_once(void **state) {
  (void)state;
  struct reader reader = {.does = "."};
  struct ts_error err = {0};
  struct ts_source_file *file = watch();
  assert_true(ts_source_file_read(file, read_it, &reader, &err));
  assert_int_equal(reader.calls, 1);
  assert_int_equal(ts_source_file_state(file, &err), 1);
  assert_true(ts_source_file_confirm(file, &err));
  assert_true(ts_source_file_read(NULL, read_it, &(struct reader){.does = "w"}, &err)); /* taken on trust */
}

static void a_change_before_or_during_a_read_is_named(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_source_file *file = watch();
  assert_false(ts_source_file_read(file, read_it, &(struct reader){.does = "w"}, &err));
  assert_changed(&err, "changed");

  put(path, "right"); /* what was read meanwhile is not known: it stays refused */
  err = (struct ts_error){0};
  assert_false(ts_source_file_read(file, read_it, &(struct reader){.does = "."}, &err));
  assert_changed(&err, "changed");

  struct reader reader = {.does = "."};
  file = watch();
  put(path, "wrong");
  err = (struct ts_error){0};
  assert_false(ts_source_file_read(file, read_it, &reader, &err));
  assert_changed(&err, "changed");
  assert_int_equal(reader.calls, 0);

  put(path, "right");
  file = watch();
  err = (struct ts_error){0};
  assert_false(ts_source_file_read(file, read_it, &(struct reader){.does = "r"}, &err));
  assert_changed(&err, "removed");
  err = (struct ts_error){0};
  assert_false(ts_source_file_confirm(file, &err));
  assert_changed(&err, "removed");
}

static void a_file_that_was_only_touched_is_read_again(void **state) {
  (void)state;
  struct reader reader = {.does = "tt."};
  struct ts_error err = {0};
  struct ts_source_file *file = watch();
  assert_true(ts_source_file_read(file, read_it, &reader, &err));
  assert_int_equal(reader.calls, 3);
  assert_string_equal(reader.got, "right");
  assert_int_equal(ts_source_file_state(file, &err), 3);

  assert_false(ts_source_file_read(file, read_it, &(struct reader){.does = "ttt"}, &err));
  assert_int_equal(err.code, TS_ERR_DATA_CHANGED); /* it keeps changing */
}

/* Whoever swaps the file and puts it back while it is read gains nothing: the read is repeated. */
static bool read_swapped(void *user, struct ts_error *err) {
  struct reader *reader = user;
  if (reader->calls == 0) put(path, "wrong");
  struct reader inner = {.does = "."};
  bool ok = read_it(&inner, err);
  memcpy(reader->got, inner.got, sizeof reader->got);
  if (reader->calls++ == 0) put(path, "right");
  return ok;
}

static void a_swap_during_a_read_is_not_used(void **state) {
  (void)state;
  struct reader reader = {0};
  struct ts_error err = {0};
  assert_true(ts_source_file_read(watch(), read_swapped, &reader, &err));
  assert_int_equal(reader.calls, 2);
  assert_string_equal(reader.got, "right");
}

static void the_reason_of_a_failure_is_kept_unless_the_file_changed(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct reader reader = {.does = "f"};
  assert_false(ts_source_file_read(watch(), read_it, &reader, &err));
  assert_int_equal(reader.calls, 1);
  assert_string_equal(err.text, "the reader failed");
}

/* A program that writes without a trace in the identity is caught before results are reported, if the file was
 * fresh. */
static void a_fresh_file_is_confirmed_by_its_content(void **state) {
  (void)state;
  struct ts_source_part part = part_of(path);
  part.digest.bytes[0] ^= 1;
  struct ts_error err = {0};
  struct ts_source_file *file = ts_source_file_create(&arena, &part, 1);
  assert_int_equal(ts_source_file_state(file, &err), 1);
  assert_false(ts_source_file_confirm(file, &err));
  assert_changed(&err, "changed");
}

static void all_parts_of_a_slide_count(void **state) {
  (void)state;
  ts_auto_free char *companion = ts_path_join(folder, "Data0000.dat");
  put(companion, "pixels");
  struct ts_source_part parts[2] = {part_of(path), part_of(companion)};
  struct ts_sha256 one, both, other;
  struct ts_error err = {0};
  ts_source_parts_digest(parts, 1, &one);
  assert_memory_equal(&one, &parts[0].digest, sizeof one); /* keys of single files stay what they were */
  ts_source_parts_digest(parts, 2, &both);
  parts[1].digest.bytes[31] ^= 1;
  ts_source_parts_digest(parts, 2, &other);
  parts[1].digest.bytes[31] ^= 1;
  assert_memory_not_equal(&both, &one, sizeof one);
  assert_memory_not_equal(&both, &other, sizeof one);
  struct ts_source_file *file = ts_source_file_create(&arena, parts, 2);
  assert_int_equal(ts_source_file_state(file, &err), 1);
  put(companion, "PIXELS");
  assert_int_equal(ts_source_file_state(file, &err), 0);
  assert_int_equal(err.code, TS_ERR_DATA_CHANGED);
  assert_string_equal(err.where.file, companion);
}

struct sharer {
  struct ts_source_file *file;
  size_t good;
};

static void *read_often(void *user) {
  struct sharer *sharer = user;
  struct ts_error err = {0};
  for (int i = 0; i < 200; i++) {
    struct reader reader = {.does = "..."};
    if (ts_source_file_read(sharer->file, read_it, &reader, &err)) sharer->good += strcmp(reader.got, "right") == 0;
  }
  return NULL;
}

/* One thread touches, four read: no read is lost, none is wrong. */
static void threads_share_a_file(void **state) {
  (void)state;
  struct sharer each[4];
  pthread_t threads[4];
  struct ts_source_file *file = watch();
  for (size_t i = 0; i < 4; i++) {
    each[i] = (struct sharer){.file = file};
    assert_int_equal(pthread_create(&threads[i], NULL, read_often, &each[i]), 0);
  }
  assert_int_equal(chmod(path, 0640), 0);
  for (size_t i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(each[i].good, 200);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_quiet_file_is_read_once, setup, teardown),
      cmocka_unit_test_setup_teardown(a_change_before_or_during_a_read_is_named, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_that_was_only_touched_is_read_again, setup, teardown),
      cmocka_unit_test_setup_teardown(a_swap_during_a_read_is_not_used, setup, teardown),
      cmocka_unit_test_setup_teardown(the_reason_of_a_failure_is_kept_unless_the_file_changed, setup, teardown),
      cmocka_unit_test_setup_teardown(a_fresh_file_is_confirmed_by_its_content, setup, teardown),
      cmocka_unit_test_setup_teardown(all_parts_of_a_slide_count, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_share_a_file, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
