/* Fuzz target: encoded and packed products, as a store may hand them back damaged.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/str.h"
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

/* What was decoded must encode to the very bytes it came from: the encoded form is canonical. */
static void encode_again(const struct ts_data *data, const uint8_t *bytes, size_t size) {
  struct ts_str encoded = {0};
  ts_data_encode(data, &encoded);
  if (encoded.length != size || memcmp(encoded.data, bytes, size) != 0) abort();
  ts_str_release(&encoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_error err = {0};
  struct ts_data *decoded = ts_data_decode(data, size, &err);
  if (decoded)
    encode_again(decoded, data, size);
  else
    fuzz_check_error(&err);
  ts_data_unref(decoded);
  ts_error_clear(&err);
  struct ts_data *unpacked = ts_data_unpack(data, size, &err);
  if (!unpacked) fuzz_check_error(&err);
  ts_data_unref(unpacked);
  return 0;
}
