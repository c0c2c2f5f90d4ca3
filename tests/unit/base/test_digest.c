/* Digests with published answers, in one piece, in pieces and from files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/random.h"

static void assert_sha256(const struct ts_sha256 *digest, const char *expected) {
  char hex[65];
  ts_hex_encode(digest->bytes, 32, hex);
  assert_string_equal(hex, expected);
}

/* FIPS 180-4 examples: one block, two blocks, a million letters; and the empty text. */
static const char empty_digest[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char abc_digest[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char two_block_digest[] = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
static const char million_digest[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void sha256_is_sha256(void **state) {
  (void)state;
  struct ts_sha256 digest;
  ts_sha256_of(NULL, 0, &digest);
  assert_sha256(&digest, empty_digest);
  ts_sha256_of("abc", 3, &digest);
  assert_sha256(&digest, abc_digest);
  ts_sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, &digest);
  assert_sha256(&digest, two_block_digest);
}

static void pieces_make_the_same_digest(void **state) {
  (void)state;
  char letters[1000];
  memset(letters, 'a', sizeof letters);
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  size_t left = 1000000;
  while (left > 0) {
    size_t size = (size_t)ts_random_below(&random, sizeof letters + 1);
    if (size > left) size = left;
    ts_sha256_stream_add(stream, letters, size);
    left -= size;
  }
  struct ts_sha256 digest;
  ts_sha256_stream_finish(stream, &digest);
  assert_sha256(&digest, million_digest);
}

/* A beginning cut at every place, and used twice. */
static void a_shared_beginning_makes_the_same_digest(void **state) {
  (void)state;
  static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  char letters[1000];
  memset(letters, 'a', sizeof letters);
  struct ts_sha256 whole, digest;
  ts_sha256_of(letters, sizeof letters, &whole);
  for (size_t cut = 0; cut <= 56; cut++) {
    struct ts_sha256_state beginning;
    ts_sha256_start(&beginning, text, cut);
    for (int round = 0; round < 2; round++) {
      ts_sha256_end(&beginning, text + cut, 56 - cut, &digest);
      assert_sha256(&digest, two_block_digest);
    }
  }
  for (size_t cut = 0; cut <= sizeof letters; cut++) {
    struct ts_sha256_state beginning;
    ts_sha256_start(&beginning, letters, cut);
    ts_sha256_end(&beginning, letters, sizeof letters - cut, &digest);
    assert_memory_equal(&digest, &whole, sizeof whole);
  }
}

static void files_are_digested(void **state) {
  (void)state;
  char folder[64];
  scratch_create(folder);
  ts_auto_free char *path = ts_path_join(folder, "million");
  ts_auto_free char *letters = ts_malloc(1000000);
  memset(letters, 'a', 1000000);
  struct ts_error err = {0};
  struct ts_sha256 digest;
  assert_true(ts_file_write(path, letters, 1000000, &err));
  assert_true(ts_sha256_of_file(path, &digest, &err));
  assert_sha256(&digest, million_digest);
  assert_true(ts_file_write(path, "", 0, &err));
  assert_true(ts_sha256_of_file(path, &digest, &err));
  assert_sha256(&digest, empty_digest);
  ts_auto_free char *missing = ts_path_join(folder, "missing");
  assert_false(ts_sha256_of_file(missing, &digest, &err));
  assert_error(&err, TS_ERR_FILE_NOT_FOUND);
  ts_error_clear(&err);
  assert_false(ts_sha256_of_file(folder, &digest, &err));
  assert_error(&err, TS_ERR_FILE_IO);
  scratch_remove(folder);
}

/* The XXH3 specification's value for the empty input; for the rest, what a digest must do. */
static void xxh128_tells_contents_apart(void **state) {
  (void)state;
  struct ts_xxh128 empty = ts_xxh128_of(NULL, 0, 0);
  assert_true(empty.low == 0x6001c324468d497fULL && empty.high == 0x99aa06d3014798d8ULL);
  uint8_t data[600] = {0};
  struct ts_xxh128 whole = ts_xxh128_of(data, sizeof data, 0);
  struct ts_xxh128 seeded = ts_xxh128_of(data, sizeof data, 1);
  assert_true(whole.low != seeded.low && whole.high != seeded.high);
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = 1;
    struct ts_xxh128 changed = ts_xxh128_of(data, sizeof data, 0);
    assert_true(changed.low != whole.low || changed.high != whole.high);
    data[i] = 0;
  }
  struct ts_xxh128 again = ts_xxh128_of(data, sizeof data, 0);
  assert_true(again.low == whole.low && again.high == whole.high);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sha256_is_sha256),
      cmocka_unit_test(pieces_make_the_same_digest),
      cmocka_unit_test(a_shared_beginning_makes_the_same_digest),
      cmocka_unit_test(files_are_digested),
      cmocka_unit_test(xxh128_tells_contents_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
