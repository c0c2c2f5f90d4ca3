/* A visit to a block of a reconstruction in plain C: included once for each type of pixels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The includer defines RELAX_NAME, the function's name, RELAX_PIXEL, the type, and RELAX_DIFFER(a, b), which is not 0
 * for two that differ; all are undefined at the end. First a block takes what the rows above and below offer, then
 * each step carries values one pixel to the left and to the right, until nothing changes. */
#define RELAX_JOIN2(a, b) a##_##b
#define RELAX_JOIN(a, b)  RELAX_JOIN2(a, b)
#define RELAX_COUNT       ((int)(TS_CHUNK / sizeof(RELAX_PIXEL)))
#define LOWER             RELAX_JOIN(RELAX_NAME, lower)
#define HIGHER            RELAX_JOIN(RELAX_NAME, higher)
#define RAISE             RELAX_JOIN(RELAX_NAME, raise)
#define STEP              RELAX_JOIN(RELAX_NAME, step)

static inline RELAX_PIXEL LOWER(RELAX_PIXEL a, RELAX_PIXEL b) { return a < b ? a : b; }
static inline RELAX_PIXEL HIGHER(RELAX_PIXEL a, RELAX_PIXEL b) { return a > b ? a : b; }

static inline void RAISE(RELAX_PIXEL *restrict to, const struct ts_relax_block *block) {
  const RELAX_PIXEL *value = block->value;
  const RELAX_PIXEL *mask = block->mask;
  const RELAX_PIXEL *up = block->above;
  const RELAX_PIXEL *down = block->below;
  for (int i = 0; i < RELAX_COUNT; i++) to[i] = HIGHER(value[i], HIGHER(up[i], down[i]));
  if (block->corners)
    for (int i = 0; i < RELAX_COUNT; i++)
      to[i] = HIGHER(to[i], HIGHER(HIGHER(up[i - 1], up[i + 1]), HIGHER(down[i - 1], down[i + 1])));
  for (int i = 0; i < RELAX_COUNT; i++) to[i] = LOWER(to[i], mask[i]);
}

/* Returns whether anything differs from the values now. */
static inline bool STEP(RELAX_PIXEL *restrict to, const RELAX_PIXEL *restrict value, const RELAX_PIXEL *restrict mask) {
  unsigned differ = 0;
  for (int i = 0; i < RELAX_COUNT; i++) {
    RELAX_PIXEL high = HIGHER(to[i], HIGHER(value[i - 1], value[i + 1]));
    to[i] = LOWER(high, mask[i]);
    differ |= (unsigned)RELAX_DIFFER(to[i], value[i]);
  }
  return differ != 0;
}

static unsigned RELAX_NAME(const struct ts_relax_block *block) {
  RELAX_PIXEL *value = block->value;
  const RELAX_PIXEL *mask = block->mask;
  const int end = RELAX_COUNT;
  RELAX_PIXEL first = value[0];
  RELAX_PIXEL last = value[end - 1];
  RELAX_PIXEL raised[RELAX_COUNT];
  unsigned result = 0;
  RAISE(raised, block);
  while (STEP(raised, value, mask)) {
    memcpy(value, raised, sizeof raised);
    result = TS_RELAX_CHANGED;
  }
  if (result == 0) return 0;
  if (value[0] != first) result |= TS_RELAX_LEFT_CHANGED;
  if (value[end - 1] != last) result |= TS_RELAX_RIGHT_CHANGED;
  if (value[-1] < value[0] && value[-1] < mask[-1]) result |= TS_RELAX_RAISES_LEFT;
  if (value[end] < value[end - 1] && value[end] < mask[end]) result |= TS_RELAX_RAISES_RIGHT;
  return result;
}

#undef RELAX_JOIN2
#undef RELAX_JOIN
#undef RELAX_COUNT
#undef LOWER
#undef HIGHER
#undef RAISE
#undef STEP
#undef RELAX_NAME
#undef RELAX_PIXEL
#undef RELAX_DIFFER
