/* Splitting with a memory for objects: the same bits as without, whatever it knows; other images never meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/nuclei.h"

/* A list that is searched from its start: slow and plain. */
struct known {
  void *key, *value; /* owned */
  size_t key_bytes, value_bytes;
  struct known *next;
};

struct book {
  pthread_mutex_t lock;
  struct known *first; /* owned list */
  size_t asked, recalled;
  bool forgets; /* every second value */
};

static size_t recall(void *user, const void *key, size_t key_bytes, void *value, size_t value_bytes) {
  struct book *book = user;
  size_t size = TS_KERNEL_NOT_KNOWN;
  pthread_mutex_lock(&book->lock);
  const struct known *k = book->first;
  while (k && (k->key_bytes != key_bytes || memcmp(k->key, key, key_bytes) != 0)) k = k->next;
  if (k && k->value_bytes <= value_bytes && !(book->forgets && book->asked % 2)) {
    size = k->value_bytes;
    memcpy(value, k->value, size);
    book->recalled++;
  }
  book->asked++;
  pthread_mutex_unlock(&book->lock);
  return size;
}

static void *copy_of(const void *bytes, size_t count) {
  void *copy = malloc(count + 1);
  if (copy && count > 0) memcpy(copy, bytes, count);
  return copy;
}

static void remember(void *user, const void *key, size_t key_bytes, const void *value, size_t value_bytes) {
  struct book *book = user;
  struct known *k = malloc(sizeof *k);
  *k = (struct known){copy_of(key, key_bytes), copy_of(value, value_bytes), key_bytes, value_bytes, NULL};
  pthread_mutex_lock(&book->lock);
  k->next = book->first;
  book->first = k;
  pthread_mutex_unlock(&book->lock);
}

static void book_release(struct book *book) {
  for (struct known *k = book->first; k;) {
    struct known *next = k->next;
    free(k->key);
    free(k->value);
    free(k);
    k = next;
  }
  pthread_mutex_destroy(&book->lock);
}

static struct ts_kernel_memo memo_of(struct book *book, unsigned char image) {
  return (struct ts_kernel_memo){.prefix = {image}, .recall = recall, .remember = remember, .user = book};
}

static const struct shape_px shape = {150, 110};
enum { PIXELS = 150 * 110, IMAGES = 2, ROUNDS = 24 };

/* Pairs of discs that touch; later rounds change a few of them, as parameters of a study do. */
static void draw_discs(uint8_t *mask, int round) {
  memset(mask, 0, PIXELS);
  for (int64_t cy = 0; cy < shape.h; cy += 22)
    for (int64_t cx = 0; cx < shape.w; cx += 24) {
      int64_t r = 5 + (cx / 24 + cy / 22 * 7) % 4;
      if ((cx + cy + round) % 5 == 0) r += round % 3;
      for (int64_t y = cy > r ? cy - r : 0; y < shape.h && y <= cy + r; y++)
        for (int64_t x = cx > r ? cx - r : 0; x < shape.w && x <= cx + r + 6; x++) {
          int64_t dx = x > cx + 3 ? x - cx - 6 : x - cx;
          if (dx * dx + (y - cy) * (y - cy) <= r * r) mask[y * shape.w + x] = 255;
        }
    }
}

static void check_rounds(bool forgets) {
  struct book book = {.lock = PTHREAD_MUTEX_INITIALIZER, .forgets = forgets};
  uint8_t *rgb[IMAGES], *mask = plane_of(shape, 1), *want = plane_of(shape, 1), *got = plane_of(shape, 1);
  int with_lines = 0;
  for (int i = 0; i < IMAGES; i++) rgb[i] = random_bytes(shape, 3, 40);
  for (int round = 0; round < ROUNDS; round++) {
    int image = round / 2 % IMAGES, connectivity = round % 2 ? 8 : 4;
    struct ts_kernel_memo memo = memo_of(&book, (unsigned char)image);
    draw_discs(mask, round);
    assert_true(ts_nuclei_split(rgb[image], mask, shape.w, shape.h, 20, connectivity, want, NULL, NULL, NULL));
    assert_true(ts_nuclei_split(rgb[image], mask, shape.w, shape.h, 20, connectivity, got, threads, &memo, NULL));
    assert_memory_equal(got, want, PIXELS);
    for (int i = 0; i < PIXELS; i++) with_lines += mask[i] && !want[i];
  }
  assert_true(with_lines > 100); /* there was something to get wrong */
  assert_true(book.recalled > book.asked / 8);
  assert_true(book.recalled < book.asked);
  for (int i = 0; i < IMAGES; i++) free(rgb[i]);
  free(mask);
  free(want);
  free(got);
  book_release(&book);
}

static void test_same_bits(void **state) {
  (void)state;
  check_rounds(false);
}

static void test_same_bits_with_gaps(void **state) {
  (void)state;
  check_rounds(true);
}

/* The same call recalls every object; another image, place or connectivity none. */
static void test_what_is_recalled(void **state) {
  (void)state;
  struct book book = {.lock = PTHREAD_MUTEX_INITIALIZER};
  uint8_t *rgb = random_bytes(shape, 3, 40), *mask = plane_of(shape, 1), *out = plane_of(shape, 1);
  draw_discs(mask, 1);
  const struct {
    unsigned char image;
    int connectivity;
    int64_t moved;
    bool again;
  } calls[] = {{0, 8, 0, false}, {1, 8, 0, false}, {1, 4, 0, false},
               {1, 4, 2, false}, {0, 8, 0, true},  {1, 4, 2, true}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    struct ts_kernel_memo memo = memo_of(&book, calls[i].image);
    size_t asked = book.asked, recalled = book.recalled;
    uint8_t *moved = zero_plane(shape);
    memcpy(moved + calls[i].moved * shape.w, mask, (size_t)(PIXELS - calls[i].moved * shape.w));
    assert_true(ts_nuclei_split(rgb, moved, shape.w, shape.h, 20, calls[i].connectivity, out, threads, &memo, NULL));
    assert_true(book.asked - asked >= 20);
    assert_int_equal(book.recalled - recalled, calls[i].again ? book.asked - asked : 0);
    free(moved);
  }
  free(out);
  free(mask);
  free(rgb);
  book_release(&book);
}

/* A ring around everything makes one window of the image: nothing is asked for. */
static void test_one_window_asks_nothing(void **state) {
  (void)state;
  struct book book = {.lock = PTHREAD_MUTEX_INITIALIZER};
  struct ts_kernel_memo memo = memo_of(&book, 0);
  uint8_t *rgb = random_bytes(shape, 3, 40), *mask = zero_plane(shape), *want = plane_of(shape, 1);
  for (int64_t ring = 0; ring < 50; ring += 5)
    for (int64_t y = ring; y < shape.h - ring; y++)
      for (int64_t x = ring; x < shape.w - ring; x++)
        if (y == ring || x == ring || y == shape.h - ring - 1 || x == shape.w - ring - 1) mask[y * shape.w + x] = 255;
  assert_true(ts_nuclei_split(rgb, mask, shape.w, shape.h, 1, 8, want, NULL, NULL, NULL));
  assert_true(ts_nuclei_split(rgb, mask, shape.w, shape.h, 1, 8, mask, threads, &memo, NULL));
  assert_memory_equal(mask, want, PIXELS);
  assert_int_equal(book.asked, 0);
  free(want);
  free(mask);
  free(rgb);
  book_release(&book);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_same_bits_with_gaps),
      cmocka_unit_test(test_what_is_recalled),
      cmocka_unit_test(test_one_window_asks_nothing),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
