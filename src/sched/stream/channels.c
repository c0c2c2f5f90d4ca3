/* Keeps the busy times of channels and links, and places transfers into the earliest gap that fits.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Intervals that touch are joined, so lists stay short however many transfers they hold. */
#include "sched/stream/channels_int.h"

#include "base/alloc.h"

/* A gap fits if it is too short by rounding only: sums of the same times in another order differ by some units in the
 * last place, and what fits must not depend on that. */
#define ROUNDING 1e-12

#define FIRST_PLACES 64

void ts_channels_init(struct channels *c, size_t processor_count, size_t ports) {
  *c = (struct channels){.ports = ports, .processor_count = processor_count, .place_mask = FIRST_PLACES - 1};
  c->first = ts_calloc(processor_count + 1, sizeof *c->first);
  c->used = ts_calloc(processor_count + 1, sizeof *c->used);
  c->places = ts_calloc(FIRST_PLACES, sizeof *c->places);
  ts_channels_clear(c);
}

void ts_channels_release(struct channels *c) {
  free(c->busies);
  free(c->channels);
  free(c->first);
  free(c->used);
  free(c->links);
  free(c->places);
  free(c->changes);
  *c = (struct channels){0};
}

void ts_channels_clear(struct channels *c) {
  c->busy_count = 0;
  c->channel_count = 0;
  c->link_count = 0;
  for (size_t p = 0; p < c->processor_count; p++) {
    c->first[p] = -1;
    c->used[p] = 0;
  }
  if (++c->stamp == 0) { /* numbers of schedules begin again: no link may look valid */
    for (size_t i = 0; i <= c->place_mask; i++) c->places[i].stamp = 0;
    c->stamp = 1;
  }
}

/* Outside of trials, which is nearly always, these do nothing and must cost nothing. */
static struct channel_change *new_change(struct channels *c) {
  c->changes = ts_grow(c->changes, c->change_count, &c->change_capacity, sizeof *c->changes);
  return &c->changes[c->change_count++];
}

static inline void note_busy(struct channels *c, int32_t index) {
  if (!c->is_trial) return;
  *new_change(c) =
      (struct channel_change){.kind = CHANGED_BUSY, .index = (size_t)index, .before.busy = c->busies[index]};
}

static inline void note_channel(struct channels *c, int32_t index) {
  if (!c->is_trial) return;
  *new_change(c) =
      (struct channel_change){.kind = CHANGED_CHANNEL, .index = (size_t)index, .before.channel = c->channels[index]};
}

static inline void note_link(struct channels *c, int32_t index) {
  if (!c->is_trial) return;
  *new_change(c) =
      (struct channel_change){.kind = CHANGED_LINK, .index = (size_t)index, .before.link = c->links[index]};
}

static inline void note_processor(struct channels *c, uint32_t index) {
  if (!c->is_trial) return;
  *new_change(c) = (struct channel_change){
      .kind = CHANGED_PROCESSOR, .index = index, .before.processor = {c->first[index], c->used[index]}};
}

void ts_channels_begin_trial(struct channels *c) {
  c->is_trial = true;
  c->change_count = 0;
  c->trial_busies = c->busy_count;
  c->trial_channels = c->channel_count;
  c->trial_links = c->link_count;
}

/* The earliest start, `start` or later, at which the list leaves `length` free. */
static double next_free(const struct channels *c, int32_t list, double start, double length) {
  for (int32_t i = list; i >= 0; i = c->busies[i].next) {
    const struct busy *busy = &c->busies[i];
    if (start + length <= busy->start * (1 + ROUNDING)) return start;
    if (busy->end > start) start = busy->end;
  }
  return start;
}

/* Adds an interval that overlaps no other by more than rounding. Returns the head of the list. */
static int32_t add_busy(struct channels *c, int32_t list, double start, double end) {
  int32_t before = -1, after = list;
  while (after >= 0 && c->busies[after].start < start) {
    before = after;
    after = c->busies[after].next;
  }
  bool joins_before = before >= 0 && c->busies[before].end >= start;
  bool joins_after = after >= 0 && c->busies[after].start <= end;
  if (joins_before) {
    note_busy(c, before);
    if (end > c->busies[before].end) c->busies[before].end = end;
    if (joins_after) {
      if (c->busies[after].end > c->busies[before].end) c->busies[before].end = c->busies[after].end;
      c->busies[before].next = c->busies[after].next;
    }
    return list;
  }
  if (joins_after) {
    note_busy(c, after);
    c->busies[after].start = start;
    return list;
  }
  c->busies = ts_grow(c->busies, c->busy_count, &c->busy_capacity, sizeof *c->busies);
  int32_t added = (int32_t)c->busy_count++;
  c->busies[added] = (struct busy){.start = start, .end = end, .next = after};
  if (before < 0) return added;
  note_busy(c, before);
  c->busies[before].next = added;
  return list;
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
  c->links[added] = (struct link){.a = a, .b = b, .busy = -1};
  if (2 * c->link_count > c->place_mask) {
    c->place_mask = 2 * c->place_mask + 1;
    free(c->places);
    c->places = ts_calloc(c->place_mask + 1, sizeof *c->places);
    for (int32_t i = 0; i < added; i++) fill_place(c, i);
  }
  fill_place(c, added);
  return added;
}

void ts_channels_end_trial(struct channels *c) {
  while (c->change_count > 0) {
    const struct channel_change *change = &c->changes[--c->change_count];
    switch (change->kind) {
    case CHANGED_BUSY: c->busies[change->index] = change->before.busy; break;
    case CHANGED_CHANNEL: c->channels[change->index] = change->before.channel; break;
    case CHANGED_LINK: c->links[change->index] = change->before.link; break;
    case CHANGED_PROCESSOR:
      c->first[change->index] = change->before.processor.first;
      c->used[change->index] = change->before.processor.used;
      break;
    }
  }
  /* Latest first: the table then never has a gap before a link that was placed earlier. */
  while (c->link_count > c->trial_links) {
    const struct link *link = &c->links[c->link_count - 1];
    find_place(c, link->a, link->b)->stamp = 0;
    c->link_count--;
  }
  c->busy_count = c->trial_busies;
  c->channel_count = c->trial_channels;
  c->is_trial = false;
}

/* The earliest start at which some channel of the processor is free for `length`. */
static double next_on_processor(const struct channels *c, uint32_t processor, double start, double length) {
  if (c->used[processor] < c->ports) return start;
  double earliest = -1;
  for (int32_t i = c->first[processor]; i >= 0; i = c->channels[i].next) {
    double found = next_free(c, c->channels[i].busy, start, length);
    if (found <= start) return start;
    if (earliest < 0 || found < earliest) earliest = found;
  }
  return earliest;
}

static int32_t new_channel(struct channels *c, uint32_t processor, int32_t last) {
  c->channels = ts_grow(c->channels, c->channel_count, &c->channel_capacity, sizeof *c->channels);
  int32_t added = (int32_t)c->channel_count++;
  note_processor(c, processor);
  c->channels[added] = (struct channel){.busy = -1, .next = -1, .processor = processor, .number = c->used[processor]++};
  if (last < 0) {
    c->first[processor] = added;
  } else {
    note_channel(c, last);
    c->channels[last].next = added;
  }
  return added;
}

/* Occupies the lowest-numbered channel that is free for the interval. */
static int32_t occupy_channel(struct channels *c, uint32_t processor, double start, double length) {
  int32_t i = c->first[processor], last = -1;
  bool is_only = c->ports == 1 && i >= 0; /* the slot was searched on it */
  while (!is_only && i >= 0 && next_free(c, c->channels[i].busy, start, length) > start) {
    last = i;
    i = c->channels[i].next;
  }
  if (i < 0) i = new_channel(c, processor, last);
  note_channel(c, i);
  struct channel *channel = &c->channels[i];
  bool is_first = channel->busy < 0;
  channel->busy = add_busy(c, channel->busy, start, start + length);
  if (is_first || start < channel->first_start) channel->first_start = start;
  if (is_first || start + length > channel->last_end) channel->last_end = start + length;
  return i;
}

struct slot ts_channels_place(struct channels *c, uint32_t from, uint32_t to, double ready, double length) {
  struct slot slot = {.start = ready, .link = find_link(c, from, to)};
  bool has_link = c->ports > 1; /* one channel at each end never carries two transfers at once anyway */
  double before;
  do {
    before = slot.start;
    slot.start = next_on_processor(c, from, slot.start, length);
    slot.start = next_on_processor(c, to, slot.start, length);
    if (has_link) slot.start = next_free(c, c->links[slot.link].busy, slot.start, length);
  } while (slot.start > before);
  slot.from_channel = occupy_channel(c, from, slot.start, length);
  slot.to_channel = occupy_channel(c, to, slot.start, length);
  if (!has_link) return slot;
  note_link(c, slot.link);
  c->links[slot.link].busy = add_busy(c, c->links[slot.link].busy, slot.start, slot.start + length);
  return slot;
}
