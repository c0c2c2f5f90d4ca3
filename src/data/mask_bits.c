/* Masks as bits, eight pixels in a byte: an eighth of the work for digests and compression.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pixel i is bit i % 8 of byte i / 8; the unused bits of the last byte are 0. */
#include "data/data_int.h"

#include "base/block.h"
#include "base/const.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LOWEST_BITS UINT64_C(0x0101010101010101)

size_t ts_mask_bits_size(size_t pixel_count) { return pixel_count / 8 + (pixel_count % 8 != 0); }

/* The lowest bits of eight bytes as one byte, the first lowest: the product adds each of them to another place of the
 * highest byte. */
static uint8_t gather_bits(uint64_t word) {
  return (uint8_t)(((word & LOWEST_BITS) * UINT64_C(0x0102040810204080)) >> 56);
}

/* Eight pixels from `at` on; those beyond the end are 0. */
static uint64_t load_pixels(const uint8_t *pixels, size_t count, size_t at) {
  uint64_t word = 0;
  memcpy(&word, pixels + at, count - at < sizeof word ? count - at : sizeof word);
  return word;
}

/* False, with `bits` undefined, if a pixel is neither 0 nor 255. */
static bool pack_bits(const uint8_t *pixels, size_t count, uint8_t *bits) {
  size_t at = 0;
#ifdef __SSE2__
  __m128i differ = _mm_setzero_si128();
  for (; count - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(pixels + at));
    differ = _mm_or_si128(differ, _mm_xor_si128(bytes, _mm_cmpgt_epi8(_mm_setzero_si128(), bytes)));
    uint16_t sixteen = (uint16_t)_mm_movemask_epi8(bytes);
    memcpy(bits + at / 8, &sixteen, sizeof sixteen);
  }
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(differ, _mm_setzero_si128())) != 0xffff) return false;
#endif
  for (; at < count; at += 8) {
    uint64_t word = load_pixels(pixels, count, at);
    if (word != (word & LOWEST_BITS) * 0xff) return false;
    bits[at / 8] = gather_bits(word);
  }
  return true;
}

void ts_mask_unpack_bits(const uint8_t *bits, size_t count, uint8_t *pixels) {
  uint64_t eight[256];
  for (size_t value = 0; value < 256; value++) {
    eight[value] = 0;
    for (size_t i = 0; i < 8; i++) eight[value] |= (value >> i & 1) ? UINT64_C(0xff) << (8 * i) : 0;
  }
  size_t at = 0;
  for (; count - at >= 8; at += 8) memcpy(pixels + at, &eight[bits[at / 8]], 8);
  if (at < count) memcpy(pixels + at, &eight[bits[at / 8]], count - at);
}

static bool is_mask(const struct ts_data *data) {
  return data->type->kind == TS_DATA_PIXELS && strcmp(data->type->name, "mask") == 0;
}

size_t ts_data_coded_bytes(const struct ts_data *data) {
  size_t bytes = ts_data_size_bytes(data);
  return is_mask(data) ? ts_mask_bits_size(bytes) : bytes;
}

const void *ts_data_payload(const struct ts_data *data, struct ts_payload *payload) {
  size_t count = 0;
  const void *bytes = ts_data_bytes(data, &count);
  *payload = (struct ts_payload){.bytes = bytes, .size_bytes = count};
  if (!is_mask(data)) return payload->bytes;
  /* A caller that takes the bits may change them; the next caller makes its own. */
  struct ts_data *shared = ts_without_const(data);
  uint8_t *bits = atomic_exchange(&shared->bits, NULL);
  if (!bits) {
    bits = ts_block_take(ts_mask_bits_size(count));
    if (!bits || !pack_bits(payload->bytes, count, bits)) {
      ts_block_give(bits);
      return payload->bytes;
    }
  }
  *payload = (struct ts_payload){
      .bytes = bits, .size_bytes = ts_mask_bits_size(count), .coding = TS_CODING_BITS, .owned = bits};
  return bits;
}

void ts_payload_return(const struct ts_data *data, struct ts_payload *payload) {
  struct ts_data *shared = ts_without_const(data);
  uint8_t *none = NULL;
  if (payload->owned && atomic_compare_exchange_strong(&shared->bits, &none, payload->owned)) payload->owned = NULL;
  ts_payload_release(payload);
}

bool ts_data_check_mask(const struct ts_data *data) {
  struct ts_payload payload;
  ts_data_payload(data, &payload);
  bool ok = payload.coding == TS_CODING_BITS;
  const uint8_t *pixels = payload.bytes;
  if (!ok) { /* a wrong pixel, or no memory for the bits */
    size_t at = 0;
    while (at < payload.size_bytes && (pixels[at] == 0 || pixels[at] == 255)) at++;
    ok = at == payload.size_bytes;
  }
  ts_payload_return(data, &payload);
  return ok;
}

void ts_payload_release(struct ts_payload *payload) {
  ts_block_give(payload->owned);
  *payload = (struct ts_payload){0};
}
