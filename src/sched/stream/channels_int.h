/* Channels and links of processors in one schedule: when each is busy, and the earliest slot that fits a transfer.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Channels of a processor exist as soon as a transfer uses them: the lowest-numbered idle one is taken, so those in use
 * are 0 to n - 1. */
#ifndef TS_SCHED_STREAM_CHANNELS_INT_H
#define TS_SCHED_STREAM_CHANNELS_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A busy interval of a channel or link; lists are sorted by time. */
struct busy {
  double start, end;
  int32_t next; /* -1: the last */
};

struct channel {
  double first_start, last_end; /* of its transfers in the periodic schedule */
  double free_at;               /* latency: end of the last transfer in the order of priority */
  int32_t busy;
  int32_t next; /* of the same processor; -1: the last */
  uint32_t processor, number;
};

struct link {
  uint32_t a, b; /* processors, a < b */
  int32_t busy;
  double free_at; /* as that of a channel */
};

/* A place of the hash table of links; empty unless its stamp is that of the schedule. */
struct link_place {
  uint32_t stamp;
  int32_t link;
};

/* What a trial changed, to restore it. */
struct channel_change {
  enum { CHANGED_BUSY, CHANGED_CHANNEL, CHANGED_LINK, CHANGED_PROCESSOR } kind;
  size_t index;
  union {
    struct busy busy;
    struct channel channel;
    struct link link;
    struct {
      int32_t first;
      uint32_t used;
    } processor;
  } before;
};

struct channels {
  size_t ports;
  struct busy *busies; /* owned */
  size_t busy_count, busy_capacity;
  struct channel *channels; /* owned */
  size_t channel_count, channel_capacity;
  int32_t *first; /* owned, by processor; -1: no channel in use */
  uint32_t *used; /* owned, by processor */
  size_t processor_count;
  struct link *links; /* owned */
  size_t link_count, link_capacity;
  struct link_place *places; /* owned: hash table */
  size_t place_mask;
  uint32_t stamp;                 /* of the schedule: clearing the table is to count it up */
  bool is_trial;                  /* changes are noted */
  struct channel_change *changes; /* owned */
  size_t change_count, change_capacity;
  size_t trial_busies, trial_channels, trial_links; /* how many there were when the trial began */
};

struct slot {
  double start;
  int32_t from_channel, to_channel, link;
};

void ts_channels_init(struct channels *c, size_t processor_count, size_t ports);
void ts_channels_release(struct channels *c);
void ts_channels_clear(struct channels *c);
/* Finds the earliest slot of this length that starts at `ready` or later and occupies it. */
struct slot ts_channels_place(struct channels *c, uint32_t from, uint32_t to, double ready, double length);

/* Everything that is placed between the two is forgotten again. */
void ts_channels_begin_trial(struct channels *c);
void ts_channels_end_trial(struct channels *c);

#endif
