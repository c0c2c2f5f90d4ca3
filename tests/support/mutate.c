/* Seeded damage to the bytes of a file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/mutate.h"

#include "base/alloc.h"

#include <string.h>

#define LONGEST_RANGE 40

static size_t below(struct ts_random *random, size_t bound) { return (size_t)ts_random_below(random, bound); }

/* Puts bytes in the place of `removed` others. */
static void splice(struct ts_str *text, size_t at, size_t removed, const void *bytes, size_t size) {
  struct ts_str result = {0};
  ts_str_add_bytes(&result, ts_str_get(text), at);
  ts_str_add_bytes(&result, bytes, size);
  ts_str_add_bytes(&result, ts_str_get(text) + at + removed, text->length - at - removed);
  ts_str_release(text);
  *text = result;
}

static void change(struct ts_random *random, struct ts_str *text, size_t at, const char *const *words,
                   size_t word_count) {
  static const unsigned char bytes[] = {0,  1,  10, 13,  32,  34,  44,  45,  48,  57,
                                        91, 92, 93, 123, 125, 127, 128, 195, 254, 255};
  size_t longest = text->length - at < LONGEST_RANGE ? text->length - at : LONGEST_RANGE;
  size_t range = 1 + below(random, longest);
  char copy[LONGEST_RANGE];
  memcpy(copy, text->data + at, range);
  switch (below(random, word_count > 0 ? 8 : 7)) {
  case 0: text->data[at] = (char)(text->data[at] ^ (1 << below(random, 8))); break;
  case 1: text->data[at] = (char)bytes[below(random, sizeof bytes)]; break;
  case 2: text->data[at] = (char)below(random, 256); break;
  case 3: splice(text, at, range, "", 0); break;
  case 4: splice(text, at, 0, copy, range); break;
  case 5: splice(text, below(random, text->length), 0, copy, range); break;
  case 6:
    if (below(random, 4) == 0) splice(text, at, text->length - at, "", 0);
    break;
  default: {
    const char *word = words[below(random, word_count)];
    splice(text, at, below(random, 2) ? range : 0, word, strlen(word));
  }
  }
}

void mutate_range(struct ts_random *random, const void *bytes, size_t size, size_t first, size_t length,
                  const char *const *words, size_t word_count, struct ts_str *out) {
  ts_str_clear(out);
  ts_str_add_bytes(out, bytes, size);
  for (size_t changes = 1 + below(random, 4); changes > 0; changes--) {
    if (out->length <= first) return;
    size_t room = out->length - first < length ? out->length - first : length;
    change(random, out, first + below(random, room), words, word_count);
  }
}

void mutate(struct ts_random *random, const void *bytes, size_t size, const char *const *words, size_t word_count,
            struct ts_str *out) {
  mutate_range(random, bytes, size, 0, size, words, word_count, out);
}
