/* Slots of transfers against a search that knows nothing but the busy times of every channel and link.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "sched/stream/channels_int.h"

#define PROCESSORS 5
#define TRANSFERS  60
#define MOST_PORTS 4

struct placed {
  unsigned from, to;
  unsigned from_channel, to_channel; /* numbers at each end */
  double start, end;
};

struct record {
  struct placed placed[TRANSFERS];
  size_t count, ports;
};

static bool overlap(const struct placed *p, double start, double end) { return p->start < end && start < p->end; }

/* The lowest-numbered channel that is idle; `ports`: none. */
static unsigned idle_channel(const struct record *r, unsigned processor, double start, double end) {
  for (unsigned k = 0; k < r->ports; k++) {
    bool is_idle = true;
    for (size_t i = 0; i < r->count; i++) {
      const struct placed *p = &r->placed[i];
      bool uses = (p->from == processor && p->from_channel == k) || (p->to == processor && p->to_channel == k);
      if (uses && overlap(p, start, end)) is_idle = false;
    }
    if (is_idle) return k;
  }
  return (unsigned)r->ports;
}

static bool link_is_idle(const struct record *r, unsigned from, unsigned to, double start, double end) {
  for (size_t i = 0; i < r->count; i++) {
    const struct placed *p = &r->placed[i];
    bool is_same = (p->from == from && p->to == to) || (p->from == to && p->to == from);
    if (is_same && overlap(p, start, end)) return false;
  }
  return true;
}

/* The earliest start is `ready` or the end of another transfer. Times are whole numbers: nothing is rounded. */
static struct placed search(const struct record *r, unsigned from, unsigned to, double ready, double length) {
  struct placed best = {.start = -1};
  for (size_t i = 0; i <= r->count; i++) {
    double start = i < r->count ? r->placed[i].end : ready, end = start + length;
    if (start < ready || (best.start >= 0 && start >= best.start)) continue;
    unsigned a = idle_channel(r, from, start, end), b = idle_channel(r, to, start, end);
    if (a == r->ports || b == r->ports || !link_is_idle(r, from, to, start, end)) continue;
    best = (struct placed){from, to, a, b, start, end};
  }
  return best;
}

static void place_both(struct channels *c, struct record *r, struct ts_random *random, bool starts_at_0, int seed) {
  unsigned from = (unsigned)ts_random_below(random, PROCESSORS);
  unsigned to = (from + 1 + (unsigned)ts_random_below(random, PROCESSORS - 1)) % PROCESSORS;
  double length = 1 + (double)ts_random_below(random, 9);
  double ready = starts_at_0 ? 0 : (double)ts_random_below(random, 60);
  struct placed wanted = search(r, from, to, ready, length);
  struct slot found = ts_channels_place(c, from, to, ready, length);
  if (found.start != wanted.start) fail_msg("seed %d: slot at %g, not %g", seed, found.start, wanted.start);
  unsigned a = c->channels[found.from_channel].number, b = c->channels[found.to_channel].number;
  if (a != wanted.from_channel || b != wanted.to_channel)
    fail_msg("seed %d: channels %u and %u, not %u and %u", seed, a, b, wanted.from_channel, wanted.to_channel);
  r->placed[r->count++] = wanted;
}

/* Some transfers are placed on trial only: what follows must not see them. */
static void slots_are_the_earliest(void **state) {
  (void)state;
  for (int seed = 0; seed < 400; seed++) {
    struct ts_random random;
    struct channels c;
    struct record r = {.ports = 1 + (size_t)seed % MOST_PORTS};
    bool starts_at_0 = seed % 3 > 0;
    ts_random_init(&random, (uint64_t)seed, 0);
    ts_channels_init(&c, PROCESSORS, r.ports);
    while (r.count < TRANSFERS) {
      bool is_trial = ts_random_unit(&random) < 0.2;
      size_t before = r.count, most = 1 + ts_random_below(&random, 8);
      if (is_trial) ts_channels_begin_trial(&c);
      for (size_t i = 0; i < most && r.count < TRANSFERS; i++) place_both(&c, &r, &random, starts_at_0, seed);
      if (!is_trial) continue;
      ts_channels_end_trial(&c);
      r.count = before;
    }
    ts_channels_clear(&c, PROCESSORS);
    r.count = 0;
    place_both(&c, &r, &random, true, seed);
    ts_channels_release(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slots_are_the_earliest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
