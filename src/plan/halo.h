/* The halo that a chain of operations needs, from how far each of them looks. Pure: a workflow and values.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pixel of a product depends on the pixels of its inputs around it. Along a path from a source to a product that
 * tiles make, these reaches add up: with a halo of the largest sum over all paths, the core of a tile is the same
 * whatever the tiling. Tasks that look at the whole tile have no such number. */
#ifndef TS_PLAN_HALO_H
#define TS_PLAN_HALO_H

#include "base/arena.h"
#include "workflow/workflow.h"

/* How far a task looks beyond a pixel. */
struct ts_task_reach {
  bool is_tile; /* at the whole tile: results depend on the tiling whatever the halo */
  int64_t px;   /* otherwise; 0: at the pixel itself */
};

/* With the largest value that each parameter of the workflow may have, converted with the finest pixel size of the data
 * where it has a unit (zero: not known; such values count as 0). A radius looks so far, a component so far as its
 * largest extent and one pixel more, to see where it ends; one without a largest extent at the whole tile. */
struct ts_task_reach ts_task_reach(const struct ts_workflow *workflow, size_t task, const struct ts_value *largest,
                                   const struct ts_pixel_size *finest);

struct ts_halo {
  int64_t needed_px; /* the largest sum over all paths; tasks that look at the tile count as 0 in it */
  size_t *path;      /* in the arena: tasks of such a path that look beyond a pixel, first to last */
  size_t path_count;
  size_t *tile_tasks; /* in the arena: tasks on any path that look at the whole tile, in the order of the workflow */
  size_t tile_count;
};

/* reaches: per task. Paths begin at sources and at products of coarser stages, go through tasks of stages per tile and
 * end at tasks that make pixels, or objects to be joined; other products, such as tables, count where such are made
 * from them. A task of which all pixels have lost their halo ("region": "core" of its stage, or of one before it) looks
 * at the tile if it looks beyond a pixel. */
void ts_halo_find(const struct ts_workflow *workflow, const struct ts_task_reach *reaches, struct ts_arena *arena,
                  struct ts_halo *halo);

#endif
