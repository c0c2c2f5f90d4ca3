/* Arenas: alignment, zeroing, no overlap, large requests, release.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/arena.h"
#include "base/random.h"

struct piece {
  unsigned char *bytes; /* borrowed from the arena */
  size_t size;
  unsigned char mark;
};

/* Every piece is zeroed and aligned when given, and keeps its own pattern until the end: no two overlap. */
static void pieces_do_not_overlap(void **state) {
  (void)state;
  struct ts_arena arena = {0};
  struct ts_random random;
  ts_random_init(&random, 1, 0);
  static struct piece pieces[3000];
  size_t total = 0;
  for (size_t i = 0; i < COUNT_OF(pieces); i++) {
    size_t limit = i % 97 == 0 ? 400000 : i % 11 == 0 ? 5000 : 60;
    struct piece *piece = &pieces[i];
    piece->size = (size_t)ts_random_below(&random, limit);
    piece->mark = (unsigned char)(1 + i % 255);
    piece->bytes = ts_arena_alloc(&arena, piece->size);
    assert_int_equal((uintptr_t)piece->bytes % 16, 0);
    for (size_t k = 0; k < piece->size; k++) {
      if (piece->bytes[k] != 0) fail_msg("piece %zu is not zeroed", i);
    }
    memset(piece->bytes, piece->mark, piece->size);
    total += piece->size;
  }
  assert_int_equal(arena.allocated_bytes, total);
  for (size_t i = 0; i < COUNT_OF(pieces); i++) {
    for (size_t k = 0; k < pieces[i].size; k++) {
      if (pieces[i].bytes[k] != pieces[i].mark) fail_msg("piece %zu was overwritten", i);
    }
  }
  ts_arena_release(&arena);
  assert_null(arena.blocks);
  assert_int_equal(arena.allocated_bytes, 0);
}

static void texts_are_copied(void **state) {
  (void)state;
  struct ts_arena arena = {0};
  char source[] = "tile";
  char *copy = ts_arena_strdup(&arena, source);
  char *part = ts_arena_strndup(&arena, source, 2);
  char *bytes = ts_arena_memdup(&arena, "a\0b", 3);
  char *printed = ts_arena_printf(&arena, "%s-%04d", source, 42);
  source[0] = 'x';
  assert_string_equal(copy, "tile");
  assert_string_equal(part, "ti");
  assert_memory_equal(bytes, "a\0b", 3);
  assert_string_equal(printed, "tile-0042");
  char *empty = ts_arena_strdup(&arena, "");
  assert_string_equal(empty, "");
  char *wide = ts_arena_printf(&arena, "%100000d", 7);
  assert_int_equal(strlen(wide), 100000);
  ts_arena_release(&arena);
}

static void an_empty_piece_is_its_own(void **state) {
  (void)state;
  struct ts_arena arena = {0};
  void *a = ts_arena_alloc(&arena, 0);
  void *b = ts_arena_alloc(&arena, 0);
  assert_non_null(a);
  assert_ptr_not_equal(a, b);
  ts_arena_release(&arena);
  ts_arena_release(&arena); /* an empty arena again */
}

static volatile size_t huge = SIZE_MAX / 2;

static void overflow_array(void) {
  struct ts_arena arena = {0};
  ts_arena_array(&arena, huge, 3);
}

static void overflow_ends_the_program(void **state) {
  (void)state;
  assert_true(aborts(overflow_array));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_do_not_overlap),
      cmocka_unit_test(texts_are_copied),
      cmocka_unit_test(an_empty_piece_is_its_own),
      cmocka_unit_test(overflow_ends_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
