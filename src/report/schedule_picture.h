/* A picture of a schedule of a stream: one item's way, one cycle of each processor and its channels, the graph.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Colours belong to clusters; boxes and nodes also carry names, so that a reader who sees few colours can follow. */
#ifndef TS_REPORT_SCHEDULE_PICTURE_H
#define TS_REPORT_SCHEDULE_PICTURE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_SCHEDULE_PICTURE_PX 1240.0

struct ts_schedule_bar {
  const char *name;  /* borrowed */
  size_t lane;       /* row, from the top */
  size_t cluster;    /* decides the colour */
  double start, end; /* time */
  bool is_transfer, is_critical;
};

/* Rows of bars over one axis of time. */
struct ts_schedule_panel {
  const char *title;        /* borrowed */
  const char *const *lanes; /* borrowed: names of the rows */
  size_t lane_count;
  const struct ts_schedule_bar *bars; /* borrowed */
  size_t bar_count;
  const char *axis; /* borrowed: name of the axis */
};

struct ts_schedule_node {
  const char *name;  /* borrowed */
  size_t layer, row; /* of a grid */
  size_t cluster;    /* of its primary copy */
  size_t duplicates; /* further copies */
};

struct ts_schedule_edge {
  size_t from, to; /* nodes */
  bool is_cut;     /* its ends are in different clusters: there is a transfer */
};

struct ts_schedule_picture {
  const char *title, *subtitle;           /* borrowed */
  const struct ts_schedule_panel *panels; /* borrowed */
  size_t panel_count;
  const struct ts_schedule_node *nodes; /* borrowed */
  size_t node_count;
  const struct ts_schedule_edge *edges; /* borrowed */
  size_t edge_count;
};

/* Appends a whole SVG document. */
void ts_draw_schedule(struct ts_str *out, const struct ts_schedule_picture *picture);

#endif
