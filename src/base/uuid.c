/* UUIDs made from content.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include "base/digest.h"
#include "base/str.h"

#include <string.h>

void ts_uuid_of(const void *data, size_t size, char text[TS_UUID_TEXT_SIZE]) {
  static const size_t groups[] = {4, 2, 2, 2, 6}; /* bytes between the hyphens */
  struct ts_sha256 digest;
  ts_sha256_of(data, size, &digest);
  digest.bytes[6] = (uint8_t)((digest.bytes[6] & 0x0f) | 0x80);
  digest.bytes[8] = (uint8_t)((digest.bytes[8] & 0x3f) | 0x80);
  const uint8_t *next = digest.bytes;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    ts_hex_encode(next, groups[i], text);
    text += 2 * groups[i];
    next += groups[i];
    *text++ = '-';
  }
  text[-1] = '\0';
}
