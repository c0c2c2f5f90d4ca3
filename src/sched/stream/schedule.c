/* Schedules as results: from a mapping and its estimate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

void ts_stream_schedule_release(struct ts_stream_schedule *schedule) {
  for (size_t c = 0; c < schedule->cluster_count; c++) free(schedule->clusters[c].copies);
  free(schedule->clusters);
  free(schedule->transfers);
  *schedule = (struct ts_stream_schedule){0};
}

/* Copies of each cluster in the static order, with their times. */
static void add_clusters(const struct stream_model *s, const struct mapping *m, const struct estimate *e,
                         struct ts_stream_schedule *out) {
  out->cluster_count = m->cluster_count;
  out->clusters = ts_calloc(m->cluster_count + 1, sizeof *out->clusters);
  for (uint32_t c = 0; c < m->cluster_count; c++)
    out->clusters[c] = (struct ts_stream_cluster){.replicas = (size_t)ts_mapping_replicas(m, s, c), .time = m->time[c]};
  for (uint32_t i = 0; i < ts_mapping_copies(m, s); i++) out->clusters[m->where[i]].copy_count++;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    out->clusters[c].copies = ts_calloc(out->clusters[c].copy_count + 1, sizeof *out->clusters[c].copies);
    out->clusters[c].copy_count = 0;
  }
  for (size_t k = 0; k < s->task_count; k++) {
    uint32_t t = s->task_order[k];
    for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
      struct ts_stream_cluster *cluster = &out->clusters[m->where[i]];
      cluster->copies[cluster->copy_count++] = (struct ts_stream_copy){.task = t,
                                                                       .is_home = m->home[t] == m->where[i],
                                                                       .start = e->copy_finish[i] - s->time[t],
                                                                       .finish = e->copy_finish[i]};
    }
  }
}

static void add_transfers(const struct stream_model *s, const struct mapping *m, const struct estimate *e,
                          struct ts_stream_schedule *out) {
  ts_auto_free bool *critical = ts_calloc(e->transfer_count + 1, sizeof *critical);
  ts_estimate_critical(e, s, m, critical);
  out->transfer_count = e->transfer_count;
  out->transfers = ts_calloc(e->transfer_count + 1, sizeof *out->transfers);
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    bool is_placed = x->from_channel >= 0;
    out->transfers[i] =
        (struct ts_stream_transfer){.edge = x->edge,
                                    .from_cluster = x->from,
                                    .to_cluster = x->to,
                                    .start = x->start,
                                    .finish = x->finish,
                                    .slot = x->slot,
                                    .from_channel = is_placed ? e->channels.channels[x->from_channel].number : 0,
                                    .to_channel = is_placed ? e->channels.channels[x->to_channel].number : 0,
                                    .is_critical = critical[i]};
  }
}

void ts_stream_make_schedule(const struct stream_model *s, const struct mapping *m, struct ts_stream_schedule *out) {
  ts_auto(ts_estimate_release) struct estimate e;
  ts_estimate_init(&e, s);
  ts_estimate_run(&e, s, m);
  *out = (struct ts_stream_schedule){.is_found = true,
                                     .is_pipelined = true,
                                     .candidate = "",
                                     .latency = e.latency,
                                     .throughput = e.throughput,
                                     .processors = (size_t)e.processors};
  out->is_feasible = ts_estimate_meets(&e, s) && out->processors <= s->processors && ts_mapping_is_allowed(m, s);
  add_clusters(s, m, &e, out);
  add_transfers(s, m, &e, out);
}
