/* Shortest decimal texts of doubles, and the nearest doubles of decimal texts, by products with powers of ten.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both directions multiply a 64-bit number by a power of ten of 128 bits. Writing follows R. Giulietti, "The Schubfach
 * way to render doubles", 2020: among all decimals that read back to the double there are at most four candidates, two
 * of them one digit shorter. Reading needs no analysis of rare cases: the product is known within one unit of its 128th
 * bit, and whenever that unit could change the rounding, strtod decides. */
#include "base/decimal.h"

#include "base/alloc.h"
#include "base/error.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* ---- Powers of ten ---- */

#define POWER_MIN  (-350)
#define POWER_MAX  330
#define LIMB_COUNT 18 /* 5^350 has 813 bits; quotients keep 128 bits beyond that */

/* 10^n = (high 2^64 + low + rest) 2^(floor(n log2 10) - 127) with 0 <= rest < 1; the top bit of high is set. */
static struct power {
  uint64_t high, low;
  uint64_t is_cut; /* 1: rest is not 0 */
} powers[POWER_MAX - POWER_MIN + 1];
static locale_t c_locale;
static pthread_once_t started = PTHREAD_ONCE_INIT;

static int floor_log2_of_power(int n) { return (n * 1741647) >> 19; }  /* of 10^n, for |n| <= 1000 */
static int floor_log10_of_power(int n) { return (n * 1262611) >> 22; } /* of 2^n, for |n| <= 1500 */
/* Of 3/4 2^n. */
static int floor_log10_of_three_quarters(int n) { return (n * 1262611 - 524031) >> 22; }

/* The leading 128 bits of a number given lowest limb first. */
static struct power leading_bits(const uint64_t limbs[LIMB_COUNT]) {
  int top = LIMB_COUNT - 1;
  while (limbs[top] == 0) top--;
  uint64_t parts[3] = {limbs[top], top >= 1 ? limbs[top - 1] : 0, top >= 2 ? limbs[top - 2] : 0};
  int shift = __builtin_clzll(parts[0]);
  struct power power = {parts[0], parts[1], 0};
  uint64_t rest = parts[2];
  if (shift > 0) {
    power.high = parts[0] << shift | parts[1] >> (64 - shift);
    power.low = parts[1] << shift | parts[2] >> (64 - shift);
    rest <<= shift;
  }
  for (int i = 0; i < top - 2; i++) rest |= limbs[i];
  power.is_cut = rest != 0;
  return power;
}

static void multiply_by_5(uint64_t limbs[LIMB_COUNT]) {
  uint64_t carry = 0;
  for (int i = 0; i < LIMB_COUNT; i++) {
    u128 product = (u128)limbs[i] * 5 + carry;
    limbs[i] = (uint64_t)product;
    carry = (uint64_t)(product >> 64);
  }
}

static void divide_by_5(uint64_t limbs[LIMB_COUNT]) {
  uint64_t rest = 0;
  for (int i = LIMB_COUNT - 1; i >= 0; i--) {
    u128 part = (u128)rest << 64 | limbs[i];
    limbs[i] = (uint64_t)(part / 5);
    rest = (uint64_t)(part % 5);
  }
}

/* A floor of a floor is the floor of the whole quotient, so the divisions lose nothing. */
static void start(void) {
  uint64_t limbs[LIMB_COUNT] = {1};
  for (int n = 0; n <= POWER_MAX; n++, multiply_by_5(limbs)) powers[n - POWER_MIN] = leading_bits(limbs);
  memset(limbs, 0, sizeof limbs);
  limbs[LIMB_COUNT - 1] = 1;
  for (int n = -1; n >= POWER_MIN; n--) {
    divide_by_5(limbs);
    powers[n - POWER_MIN] = leading_bits(limbs);
    powers[n - POWER_MIN].is_cut = 1; /* no power of two is a multiple of 5 */
  }
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c_locale) TS_BUG("the C locale is missing");
}

static const struct power *power_of_ten(int n) { return &powers[n - POWER_MIN]; }

/* ---- Writing ---- */

#define MANTISSA_BITS 52
#define HIDDEN_BIT    ((uint64_t)1 << MANTISSA_BITS)

/* factor 10^n, scaled, rounded to odd: the lowest bit says whether anything was lost, up to the error of the power. */
static inline uint64_t multiply_to_odd(uint64_t high, uint64_t low, uint64_t factor) {
  u128 lower = (u128)low * factor;
  u128 product = (u128)high * factor + (uint64_t)(lower >> 64);
  return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* value = c 2^q, finite and not 0. */
static struct ts_decimal shortest(uint64_t c, int q, bool is_narrow_below) {
  uint64_t is_odd = c & 1; /* ties go to even, so the ends of the interval belong to an even number */
  uint64_t left = 4 * c - (is_narrow_below ? 1 : 2);
  uint64_t right = 4 * c + 2;
  int k = is_narrow_below ? floor_log10_of_three_quarters(q) : floor_log10_of_power(q);
  int h = q + floor_log2_of_power(-k) + 1;
  struct power power = *power_of_ten(-k);
  uint64_t low = power.low + power.is_cut; /* rounded up */
  uint64_t high = power.high + (low < power.is_cut ? 1 : 0);
  uint64_t lower = multiply_to_odd(high, low, left << h) + is_odd;
  uint64_t middle = multiply_to_odd(high, low, 4 * c << h);
  uint64_t upper = multiply_to_odd(high, low, right << h) - is_odd;
  uint64_t s = middle / 4;
  if (s >= 10) {
    uint64_t tens = s / 10;
    bool below_fits = lower <= 40 * tens;
    bool above_fits = 40 * tens + 40 <= upper;
    if (below_fits != above_fits) return (struct ts_decimal){tens + above_fits, k + 1};
  }
  bool below_fits = lower <= 4 * s;
  bool above_fits = 4 * s + 4 <= upper;
  if (below_fits != above_fits) return (struct ts_decimal){s + above_fits, k};
  uint64_t half = 4 * s + 2;
  bool up = middle > half || (middle == half && (s & 1));
  return (struct ts_decimal){s + up, k};
}

static void drop_zeros(struct ts_decimal *decimal) {
  while (decimal->digits % 10 == 0) {
    decimal->digits /= 10;
    decimal->exponent++;
  }
}

struct ts_decimal ts_decimal_of(double value) {
  pthread_once(&started, start);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value == 0) return (struct ts_decimal){0, 0};
  uint64_t fraction = bits & (HIDDEN_BIT - 1);
  int exponent = (int)(bits >> MANTISSA_BITS) & 0x7ff;
  uint64_t c = exponent > 0 ? fraction | HIDDEN_BIT : fraction;
  int q = (exponent > 0 ? exponent : 1) - 1075;
  struct ts_decimal decimal;
  if (q <= 0 && q >= -MANTISSA_BITS && (c & (((uint64_t)1 << -q) - 1)) == 0) {
    decimal = (struct ts_decimal){c >> -q, 0}; /* a whole number */
  } else {
    decimal = shortest(c, q, fraction == 0 && exponent > 1);
  }
  drop_zeros(&decimal);
  return decimal;
}

static int count_digits(uint64_t number) {
  int count = 1;
  for (uint64_t limit = 10; count < 19 && number >= limit; limit *= 10) count++;
  return count;
}

/* Exactly `count` digits, from the end. */
static void put_digits(char *text, uint64_t number, int count) {
  static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
                              "4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
                              "888990919293949596979899";
  while (count >= 2) {
    count -= 2;
    memcpy(text + count, pairs + 2 * (number % 100), 2);
    number /= 100;
  }
  if (count == 1) text[0] = (char)('0' + number % 10);
}

static size_t put_scientific(char *text, struct ts_decimal decimal, int count) {
  char *p = text;
  put_digits(p + 1, decimal.digits, count);
  p[0] = p[1];
  p[1] = '.';
  p += count > 1 ? count + 1 : 1;
  int exponent = decimal.exponent + count - 1;
  *p++ = 'e';
  *p++ = exponent < 0 ? '-' : '+';
  if (exponent < 0) exponent = -exponent;
  int length = exponent >= 100 ? 3 : 2;
  put_digits(p, (uint64_t)exponent, length);
  return (size_t)(p - text) + (size_t)length;
}

static size_t put_fixed(char *text, struct ts_decimal decimal, int count) {
  int whole = count + decimal.exponent; /* digits before the point */
  if (whole <= 0) {
    int zeros = 2 - whole; /* with the point among them */
    memset(text, '0', (size_t)zeros);
    text[1] = '.';
    put_digits(text + zeros, decimal.digits, count);
    return (size_t)zeros + (size_t)count;
  }
  put_digits(text, decimal.digits, count);
  if (whole >= count) {
    memset(text + count, '0', (size_t)(whole - count));
    return (size_t)whole;
  }
  memmove(text + whole + 1, text + whole, (size_t)(count - whole));
  text[whole] = '.';
  return (size_t)count + 1;
}

static size_t put_word(char *text, const char *word) {
  size_t length = 0;
  for (; word[length]; length++) text[length] = word[length];
  return length;
}

size_t ts_decimal_put(struct ts_decimal decimal, char text[TS_DECIMAL_SIZE]) {
  int count = count_digits(decimal.digits);
  int place = decimal.exponent + count; /* 0.ddd 10^place */
  return place < -3 || place > 16 ? put_scientific(text, decimal, count) : put_fixed(text, decimal, count);
}

size_t ts_decimal_write(double value, char text[TS_DECIMAL_SIZE]) {
  if (isnan(value)) return put_word(text, "nan");
  size_t sign = signbit(value) ? 1 : 0;
  text[0] = '-';
  if (isinf(value)) return sign + put_word(text + sign, "inf");
  return sign + ts_decimal_put(ts_decimal_of(value), text + sign);
}

/* ---- Rounding, for people ---- */

int ts_decimal_place(struct ts_decimal decimal) { return decimal.exponent + count_digits(decimal.digits) - 1; }

struct ts_decimal ts_decimal_round(struct ts_decimal decimal, int place, bool is_up) {
  if (decimal.exponent >= place) return decimal;
  uint64_t unit = 1; /* 10^place in units of the last digit; at most 10^19, and no 17 digits reach its half */
  for (int i = decimal.exponent; i < place && unit <= UINT64_MAX / 10; i++) unit *= 10;
  uint64_t rest = decimal.digits % unit;
  bool lift = is_up ? rest > 0 : rest >= unit - rest;
  struct ts_decimal rounded = {decimal.digits / unit + lift, place};
  if (rounded.digits == 0) return (struct ts_decimal){0, 0};
  drop_zeros(&rounded);
  return rounded;
}

size_t ts_decimal_put_fixed(struct ts_decimal decimal, int decimals, char *text) {
  size_t length = put_fixed(text, decimal, count_digits(decimal.digits));
  int there = decimal.exponent < 0 ? -decimal.exponent : 0;
  if (there == 0 && decimals > 0) text[length++] = '.';
  for (int i = there; i < decimals; i++) text[length++] = '0';
  return length;
}

size_t ts_decimal_put_scientific(struct ts_decimal decimal, char text[TS_DECIMAL_SIZE]) {
  return put_scientific(text, decimal, count_digits(decimal.digits));
}

/* ---- Reading ---- */

#define EXACT_POWERS 22 /* 10^22 is the last that a double holds */
#define MAX_DIGITS   19 /* that fit 64 bits */

static const double tens[EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* digits 10^exponent, not 0; false if the last bit is uncertain. */
static bool nearest_double(uint64_t digits, int exponent, double *value) {
  if (exponent < -330 || exponent > 300) return false;
  int shift = __builtin_clzll(digits);
  uint64_t factor = digits << shift;
  const struct power *power = power_of_ten(exponent);
  u128 lower = (u128)power->low * factor;
  u128 product = (u128)power->high * factor + (uint64_t)(lower >> 64);
  int scale = floor_log2_of_power(exponent) - 127 + 64 - shift; /* value = product 2^scale, and up to 2 units more */
  if (!(product >> 127)) {
    product <<= 1; /* the bit that comes in is part of the doubt: now up to 4 units */
    scale--;
  }
  const int cut = 128 - MANTISSA_BITS - 1;
  u128 half = (u128)1 << (cut - 1);
  u128 rest = product & ((half << 1) - 1);
  if ((rest <= half && half - rest <= 4) || rest + 4 >= half << 1) return false;
  uint64_t mantissa = (uint64_t)(product >> cut) + (rest > half ? 1 : 0);
  scale += cut;
  if (mantissa >> (MANTISSA_BITS + 1)) {
    mantissa >>= 1;
    scale++;
  }
  int biased = scale + MANTISSA_BITS + 1023;
  if (biased < 1 || biased > 2046) return false;
  uint64_t bits = (mantissa & (HIDDEN_BIT - 1)) | (uint64_t)biased << MANTISSA_BITS;
  memcpy(value, &bits, sizeof bits);
  return true;
}

/* For numbers that the fast way cannot decide. */
static double read_slowly(const char *text, const char *end) {
  char buffer[128];
  size_t length = (size_t)(end - text);
  char *copy = length < sizeof buffer ? buffer : ts_malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  double value = strtod_l(copy, NULL, c_locale);
  if (copy != buffer) free(copy);
  return value;
}

struct scan {
  uint64_t digits; /* the first 19 that count */
  int count;       /* of digits that count, that is from the first one that is not 0 */
  bool any;
};

static inline const char *scan_digits(const char *p, const char *end, struct scan *scan) {
  for (; p < end && (unsigned char)(*p - '0') <= 9; p++) {
    scan->any = true;
    if (scan->count < MAX_DIGITS) scan->digits = 10 * scan->digits + (uint64_t)(*p - '0');
    if (scan->digits != 0 && scan->count < 1000000) scan->count++;
  }
  return p;
}

/* "e-07" at p; p itself if there is none. */
static const char *scan_exponent(const char *p, const char *end, int *exponent) {
  const char *start_of = p;
  if (p == end || (*p != 'e' && *p != 'E')) return p;
  p++;
  bool is_negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || (unsigned char)(*p - '0') > 9) return start_of;
  int number = 0;
  for (; p < end && (unsigned char)(*p - '0') <= 9; p++) {
    if (number < 100000) number = 10 * number + (*p - '0');
  }
  *exponent = is_negative ? -number : number;
  return p;
}

static double value_of(const struct scan *scan, int exponent, const char *text, const char *end) {
  if (scan->digits == 0) return 0;
  if (scan->count > MAX_DIGITS) return read_slowly(text, end);
  double value;
  if (scan->digits <= (uint64_t)1 << 53 && exponent >= -EXACT_POWERS && exponent <= EXACT_POWERS) {
    value = (double)scan->digits; /* both factors are exact, hence one rounding */
    return exponent < 0 ? value / tens[-exponent] : value * tens[exponent];
  }
  return nearest_double(scan->digits, exponent, &value) ? value : read_slowly(text, end);
}

const char *ts_decimal_read(const char *text, const char *end, double *value) {
  pthread_once(&started, start);
  const char *p = text;
  bool is_negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  const char *unsigned_text = p;
  struct scan scan = {0};
  int exponent = 0;
  p = scan_digits(p, end, &scan);
  if (p < end && *p == '.') {
    const char *fraction = p + 1;
    p = scan_digits(fraction, end, &scan);
    exponent = (int)(fraction - p);
  }
  if (!scan.any) return NULL;
  int written = 0;
  const char *stop = scan_exponent(p, end, &written);
  double magnitude = value_of(&scan, exponent + written, unsigned_text, stop);
  *value = is_negative ? -magnitude : magnitude;
  return stop;
}
