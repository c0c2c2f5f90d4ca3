/* Keeps the idle times of channels and links, and places transfers into the earliest gap that fits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/channels_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* A gap fits if it is too short by rounding only: sums of the same times in another order differ by some units in the
 * last place, and what fits must not depend on that. */
#define ROUNDING 1e-12

#define FIRST_PLACES 64
/* Gaps that a timeline has room for at first: most links carry one transfer, which leaves two. */
#define FIRST_GAPS 4

void ts_channels_init(struct channels *c, size_t processor_count, size_t ports) {
  *c = (struct channels){.ports = ports, .place_mask = FIRST_PLACES - 1};
  c->processors = ts_calloc(processor_count + 1, sizeof *c->processors);
  c->places = ts_calloc(FIRST_PLACES, sizeof *c->places);
  ts_channels_clear(c, processor_count);
}

void ts_channels_release(struct channels *c) {
  free(c->gaps);
  free(c->channels);
  free(c->processors);
  free(c->links);
  free(c->places);
  free(c->changes);
  free(c->saved);
  *c = (struct channels){0};
}

/* Outside of trials, which is nearly always, these do nothing and must cost nothing. */
static struct channel_change *new_change(struct channels *c) {
  c->changes = ts_grow(c->changes, c->change_count, &c->change_capacity, sizeof *c->changes);
  return &c->changes[c->change_count++];
}

static size_t save_gaps(struct channels *c, const struct timeline *t) {
  size_t at = c->saved_count;
  if (at + t->count > c->saved_capacity) {
    c->saved_capacity = 2 * (at + t->count);
    c->saved = ts_realloc_array(c->saved, c->saved_capacity, sizeof *c->saved);
  }
  if (t->count > 0) memcpy(c->saved + at, c->gaps + t->first, t->count * sizeof *c->saved);
  c->saved_count += t->count;
  return at;
}

static inline void note_channel(struct channels *c, int32_t index) {
  if (!c->is_trial) return;
  *new_change(c) =
      (struct channel_change){.kind = CHANGED_CHANNEL, .index = (size_t)index, .before.channel = c->channels[index]};
}

static inline void note_link(struct channels *c, int32_t index) {
  struct timeline *t = &c->links[index].idle;
  if (!c->is_trial || t->saved_in == c->trial) return;
  *new_change(c) =
      (struct channel_change){.kind = CHANGED_LINK, .index = (size_t)index, .gaps = save_gaps(c, t), .before.link = *t};
  t->saved_in = c->trial;
}

static inline void note_processor(struct channels *c, uint32_t index) {
  struct port_set *p = &c->processors[index];
  if (!c->is_trial || p->idle.saved_in == c->trial) return;
  *new_change(c) = (struct channel_change){
      .kind = CHANGED_PROCESSOR, .index = index, .gaps = save_gaps(c, &p->idle), .before.processor = *p};
  p->idle.saved_in = c->trial;
}

void ts_channels_begin_trial(struct channels *c) {
  c->is_trial = true;
  c->trial++;
  c->change_count = c->saved_count = 0;
  c->trial_gaps = c->gap_count;
  c->trial_channels = c->channel_count;
  c->trial_links = c->link_count;
}

/* Makes room for one more gap, elsewhere if need be. */
static void reserve_gap(struct channels *c, struct timeline *t) {
  if (t->count < t->capacity) return;
  uint32_t capacity = t->capacity > 0 ? 2 * t->capacity : FIRST_GAPS;
  if (c->gap_count + capacity > c->gap_capacity) {
    c->gap_capacity = 2 * (c->gap_count + capacity);
    c->gaps = ts_realloc_array(c->gaps, c->gap_capacity, sizeof *c->gaps);
  }
  if (t->count > 0) memcpy(c->gaps + c->gap_count, c->gaps + t->first, t->count * sizeof *c->gaps);
  t->first = (uint32_t)c->gap_count;
  t->capacity = capacity;
  c->gap_count += capacity;
}

/* A channel or link that is idle all the time. */
static void add_idle(struct channels *c, struct timeline *t, int32_t channel) {
  reserve_gap(c, t);
  struct gap *gaps = c->gaps + t->first;
  memmove(gaps + 1, gaps, t->count++ * sizeof *gaps);
  gaps[0] = (struct gap){.start = 0, .end = INFINITY, .latest_end = INFINITY, .channel = channel};
}

static inline bool fits(const struct gap *gap, double start, double length) {
  return start + length <= gap->latest_end;
}

/* Goes from gap *at to the first one that leaves `length` free at `start` or later, and returns when. The last gap is
 * infinite. */
static inline double seek(const struct channels *c, const struct timeline *t, uint32_t *at, double start,
                          double length) {
  const struct gap *first = c->gaps + t->first, *gap = first + *at;
  while (!fits(gap, gap->start > start ? gap->start : start, length)) gap++;
  *at = (uint32_t)(gap - first);
  return gap->start > start ? gap->start : start;
}

/* Takes an interval out of a gap. What is left behind it goes where its start belongs. */
static void occupy(struct channels *c, struct timeline *t, uint32_t at, double start, double end) {
  bool has_before = c->gaps[t->first + at].start < start;
  if (has_before) reserve_gap(c, t);
  struct gap *gaps = c->gaps + t->first;
  struct gap behind = gaps[at];
  behind.start = end;
  bool has_behind = end < behind.end || behind.end == INFINITY;
  if (has_before) {
    gaps[at].end = start;
    gaps[at++].latest_end = start * (1 + ROUNDING);
  }
  if (!has_behind) {
    if (has_before) return;
    memmove(gaps + at, gaps + at + 1, (--t->count - at) * sizeof *gaps);
    return;
  }
  uint32_t to = at;
  if (has_before) {
    for (to = t->count++; to > at && gaps[to - 1].start >= end; to--) gaps[to] = gaps[to - 1];
  } else {
    for (; to + 1 < t->count && gaps[to + 1].start < end; to++) gaps[to] = gaps[to + 1];
  }
  gaps[to] = behind;
}

static struct link_place *find_place(const struct channels *c, uint32_t a, uint32_t b) {
  uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
  size_t i = (size_t)(hash >> 32) & c->place_mask;
  for (;; i = (i + 1) & c->place_mask) {
    struct link_place *place = &c->places[i];
    if (place->stamp != c->stamp) return place;
    const struct link *link = &c->links[place->link];
    if (link->a == a && link->b == b) return place;
  }
}

static void fill_place(struct channels *c, int32_t link) {
  *find_place(c, c->links[link].a, c->links[link].b) = (struct link_place){.stamp = c->stamp, .link = link};
}

/* The link between two processors, whatever the direction. */
static int32_t find_link(struct channels *c, uint32_t from, uint32_t to) {
  uint32_t a = from < to ? from : to, b = from < to ? to : from;
  const struct link_place *place = find_place(c, a, b);
  if (place->stamp == c->stamp) return place->link;
  c->links = ts_grow(c->links, c->link_count, &c->link_capacity, sizeof *c->links);
  int32_t added = (int32_t)c->link_count++;
  c->links[added] = (struct link){.a = a, .b = b};
  add_idle(c, &c->links[added].idle, 0);
  if (2 * c->link_count > c->place_mask) {
    c->place_mask = 2 * c->place_mask + 1;
    free(c->places);
    c->places = ts_calloc(c->place_mask + 1, sizeof *c->places);
    for (int32_t i = 0; i < added; i++) fill_place(c, i);
  }
  fill_place(c, added);
  return added;
}

static void restore_gaps(struct channels *c, const struct timeline *t, size_t saved) {
  if (t->count > 0) memcpy(c->gaps + t->first, c->saved + saved, t->count * sizeof *c->gaps);
}

void ts_channels_end_trial(struct channels *c) {
  while (c->change_count > 0) {
    const struct channel_change *change = &c->changes[--c->change_count];
    switch (change->kind) {
    case CHANGED_CHANNEL: c->channels[change->index] = change->before.channel; break;
    case CHANGED_LINK:
      c->links[change->index].idle = change->before.link;
      restore_gaps(c, &change->before.link, change->gaps);
      break;
    case CHANGED_PROCESSOR:
      c->processors[change->index] = change->before.processor;
      restore_gaps(c, &change->before.processor.idle, change->gaps);
      break;
    }
  }
  /* Latest first: the table then never has a gap before a link that was placed earlier. */
  while (c->link_count > c->trial_links) {
    const struct link *link = &c->links[c->link_count - 1];
    find_place(c, link->a, link->b)->stamp = 0;
    c->link_count--;
  }
  c->gap_count = c->trial_gaps;
  c->channel_count = c->trial_channels;
  c->is_trial = false;
}

static void new_channel(struct channels *c, uint32_t processor) {
  struct port_set *p = &c->processors[processor];
  c->channels = ts_grow(c->channels, c->channel_count, &c->channel_capacity, sizeof *c->channels);
  int32_t added = (int32_t)c->channel_count++;
  c->channels[added] = (struct channel){.next = -1, .processor = processor, .number = p->used++};
  if (p->last_channel < 0) {
    p->first_channel = added;
  } else {
    note_channel(c, p->last_channel);
    c->channels[p->last_channel].next = added;
  }
  p->last_channel = added;
  add_idle(c, &p->idle, added);
}

void ts_channels_clear(struct channels *c, size_t processor_count) {
  c->processor_count = processor_count;
  c->gap_count = 0;
  c->channel_count = 0;
  c->link_count = 0;
  for (size_t p = 0; p < processor_count; p++)
    c->processors[p] = (struct port_set){.first_channel = -1, .last_channel = -1};
  for (size_t p = 0; c->ports == 1 && p < processor_count; p++) new_channel(c, (uint32_t)p);
  if (++c->stamp == 0) { /* numbers of schedules begin again: no link may look valid */
    for (size_t i = 0; i <= c->place_mask; i++) c->places[i].stamp = 0;
    c->stamp = 1;
  }
}

/* Occupies the lowest-numbered channel that is free for the interval; none before gap `at` is. */
static int32_t occupy_channel(struct channels *c, uint32_t processor, uint32_t at, double start, double length) {
  struct port_set *p = &c->processors[processor];
  uint32_t best = UINT32_MAX;
  note_processor(c, processor);
  const struct gap *gaps = c->gaps + p->idle.first;
  for (; at < p->idle.count && gaps[at].start <= start; at++) {
    bool is_lower = best == UINT32_MAX || gaps[at].channel < gaps[best].channel;
    if (is_lower && fits(&gaps[at], start, length)) best = at;
    if (c->ports == 1) break;
  }
  if (best == UINT32_MAX) {
    new_channel(c, processor);
    best = 0;
  }
  int32_t found = c->gaps[p->idle.first + best].channel;
  note_channel(c, found);
  struct channel *channel = &c->channels[found];
  bool is_first = channel->last_end <= 0;
  occupy(c, &p->idle, best, start, start + length);
  if (is_first || start < channel->first_start) channel->first_start = start;
  if (is_first || start + length > channel->last_end) channel->last_end = start + length;
  return found;
}

struct slot ts_channels_place(struct channels *c, uint32_t from, uint32_t to, double ready, double length) {
  bool has_link = c->ports > 1;
  struct slot slot = {.start = ready, .link = has_link ? find_link(c, from, to) : -1};
  const struct port_set *sender = &c->processors[from], *receiver = &c->processors[to];
  uint32_t at_sender = 0, at_receiver = 0, at_link = 0;
  double agreed; /* with the sender */
  do {
    if (sender->used == c->ports) slot.start = seek(c, &sender->idle, &at_sender, slot.start, length);
    agreed = slot.start;
    if (receiver->used == c->ports) slot.start = seek(c, &receiver->idle, &at_receiver, slot.start, length);
    if (has_link) slot.start = seek(c, &c->links[slot.link].idle, &at_link, slot.start, length);
  } while (slot.start > agreed);
  slot.from_channel = occupy_channel(c, from, at_sender, slot.start, length);
  slot.to_channel = occupy_channel(c, to, at_receiver, slot.start, length);
  if (!has_link) return slot;
  note_link(c, slot.link);
  occupy(c, &c->links[slot.link].idle, at_link, slot.start, slot.start + length);
  return slot;
}
