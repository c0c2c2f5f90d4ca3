/* Which transfers of an estimated mapping lie on a longest path: the same pass as that of the latency, backwards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

struct backwards {
  double *cluster; /* owned: longest path that begins with the next copy of the cluster */
  double *copy;    /* owned, by index in `where`: longest path that begins with the copy */
  double *channel; /* owned: longest path that begins with the next transfer of the channel */
  double *link;    /* owned */
  double *served;  /* owned, by task: longest path that begins with a transfer from its home */
};

static void backwards_init(struct backwards *b, const struct estimate *e, const struct stream_model *s,
                           const struct mapping *m) {
  b->cluster = ts_calloc(m->cluster_count + 1, sizeof *b->cluster);
  b->copy = ts_calloc(ts_mapping_copies(m, s) + 1, sizeof *b->copy);
  b->channel = ts_calloc(e->channels.channel_count + 1, sizeof *b->channel);
  b->link = ts_calloc(e->channels.link_count + 1, sizeof *b->link);
  b->served = ts_calloc(s->task_count + 1, sizeof *b->served);
}

static void backwards_release(struct backwards *b) {
  free(b->cluster);
  free(b->copy);
  free(b->channel);
  free(b->link);
  free(b->served);
}

static void pass_task(struct backwards *b, const struct stream_model *s, const struct mapping *m, uint32_t t) {
  for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
    uint32_t c = m->where[i];
    double after = b->cluster[c];
    if (c == m->home[t] && b->served[t] > after) after = b->served[t];
    b->copy[i] = b->cluster[c] = s->time[t] + after;
  }
}

/* Returns the longest path that begins with the transfer. */
static double pass_transfer(struct backwards *b, const struct stream_model *s, const struct mapping *m,
                            const struct transfer *x) {
  const struct ts_task_edge *edge = &s->graph->edges[x->edge];
  double after = b->copy[ts_mapping_find(m, edge->to, x->to)];
  if (x->from_channel >= 0) {
    if (b->channel[x->from_channel] > after) after = b->channel[x->from_channel];
    if (b->channel[x->to_channel] > after) after = b->channel[x->to_channel];
  }
  if (x->link >= 0 && b->link[x->link] > after) after = b->link[x->link];
  double path = edge->time + after;
  if (x->from_channel >= 0) b->channel[x->from_channel] = b->channel[x->to_channel] = path;
  if (x->link >= 0) b->link[x->link] = path;
  if (path > b->served[edge->from]) b->served[edge->from] = path;
  return path;
}

void ts_estimate_critical(const struct estimate *e, const struct stream_model *s, const struct mapping *m,
                          bool *critical) {
  ts_auto(backwards_release) struct backwards b;
  backwards_init(&b, e, s, m);
  size_t next = e->transfer_count;
  for (size_t k = s->task_count + s->edge_count; k-- > 0;) {
    uint32_t index = s->order[k].index;
    if (!s->order[k].is_edge) {
      pass_task(&b, s, m, index);
      continue;
    }
    for (; next > 0 && e->transfers[next - 1].edge == index; next--) {
      const struct transfer *x = &e->transfers[next - 1];
      critical[next - 1] = ts_latency_same(x->start + pass_transfer(&b, s, m, x), e->latency);
    }
  }
}
