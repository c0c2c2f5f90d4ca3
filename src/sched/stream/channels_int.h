/* Channels and links of processors in one schedule: when each is idle, and the earliest slot that fits a transfer.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Channels of a processor exist as soon as a transfer uses them: the lowest-numbered idle one is taken, so those in use
 * are 0 to n - 1. Idle times are kept, not busy ones, because a search looks for nothing else: the gaps of all channels
 * of a processor lie behind each other in memory, by their starts, so that the first one that fits is the earliest. */
#ifndef TS_SCHED_STREAM_CHANNELS_INT_H
#define TS_SCHED_STREAM_CHANNELS_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An idle time of a channel or link; infinite behind its last transfer. */
struct gap {
  double start, end;
  double latest_end; /* of a transfer that fits: behind `end` by rounding only */
  int32_t channel;
};

/* The gaps of a processor or of a link, by their starts: gaps[first] to gaps[first + count]. */
struct timeline {
  uint32_t first, count, capacity;
  uint32_t saved_in; /* the trial that has saved it */
};

struct channel {
  double first_start, last_end; /* of its transfers in the periodic schedule */
  double free_at;               /* latency: end of the last transfer in the order of priority */
  int32_t next;                 /* of the same processor; -1: the last */
  uint32_t processor, number;
};

struct port_set {
  struct timeline idle;
  int32_t first_channel, last_channel; /* -1: none is in use */
  uint32_t used;
};

struct link {
  uint32_t a, b; /* processors, a < b */
  struct timeline idle;
  double free_at; /* as that of a channel */
};

/* A place of the hash table of links; empty unless its stamp is that of the schedule. */
struct link_place {
  uint32_t stamp;
  int32_t link;
};

/* What a trial changed, to restore it. */
struct channel_change {
  enum { CHANGED_CHANNEL, CHANGED_LINK, CHANGED_PROCESSOR } kind;
  size_t index;
  size_t gaps; /* where its gaps were saved */
  union {
    struct channel channel;
    struct timeline link;
    struct port_set processor;
  } before;
};

struct channels {
  size_t ports;
  struct gap *gaps; /* owned */
  size_t gap_count, gap_capacity;
  struct channel *channels; /* owned */
  size_t channel_count, channel_capacity;
  struct port_set *processors; /* owned */
  size_t processor_count;
  struct link *links; /* owned; none with one port, which never carries two transfers at once anyway */
  size_t link_count, link_capacity;
  struct link_place *places; /* owned: hash table */
  size_t place_mask;
  uint32_t stamp;                 /* of the schedule: clearing the table is to count it up */
  bool is_trial;                  /* changes are noted */
  uint32_t trial;                 /* number of trials so far */
  struct channel_change *changes; /* owned */
  size_t change_count, change_capacity;
  struct gap *saved; /* owned: gaps from before the trial */
  size_t saved_count, saved_capacity;
  size_t trial_gaps, trial_channels, trial_links; /* how many there were when the trial began */
};

struct slot {
  double start;
  int32_t from_channel, to_channel, link; /* -1: there is one port, so the link matters nothing */
};

void ts_channels_init(struct channels *c, size_t processor_count, size_t ports);
void ts_channels_release(struct channels *c);
/* Only the first `processor_count` processors are used from now on. With one port, channel p is that of processor p,
 * whether it is used or not. */
void ts_channels_clear(struct channels *c, size_t processor_count);
/* Finds the earliest slot of this length that starts at `ready` or later and occupies it. */
struct slot ts_channels_place(struct channels *c, uint32_t from, uint32_t to, double ready, double length);

/* Everything that is placed between the two is forgotten again. */
void ts_channels_begin_trial(struct channels *c);
void ts_channels_end_trial(struct channels *c);

#endif
