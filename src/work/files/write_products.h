/* Writes products of a run as files that people and other programs open.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One file for each image and output: DIR/IMAGE/STAGE.PORT.png (or .ome.tif, .csv, .geojson), written when its last
 * tile came; with --per-tile one for each tile, DIR/IMAGE/STAGE.PORT.xX_yY.png. DIR/IMAGE/overlay.png shows the image
 * with the outlines of a mask. */
#ifndef TS_WORK_WRITE_PRODUCTS_H
#define TS_WORK_WRITE_PRODUCTS_H

#include "work/files/joined.h"
#include "work/files/run_folder.h"
#include "work/quality.h"
#include "work/work.h"

#define PRODUCT_FAULTS_MAX 8

/* The caller sets the first members; the rest is zero. */
struct product_writer {
  struct ts_work *work;             /* borrowed */
  const struct ts_project *project; /* borrowed: that of the work */
  struct ts_issues *issues;         /* borrowed */
  const struct ts_plan *plan;       /* borrowed: its first run is written */
  const struct ts_value *values;    /* borrowed: the parameters of that run */
  const char *run;                  /* borrowed: its id */
  const char **names;               /* per wanted product: "segment.mask" */
  struct quality *quality;          /* borrowed: scores against a reference are added */
  struct ts_run_folder folder;      /* texts in the arena of the work */
  const char **outputs;             /* owned; paths in the arena of the work */
  size_t output_count, output_capacity;
  struct ts_joined *joined; /* owned: item after item, per wanted product */
  struct ts_object_ids ids; /* owned */
  size_t overlay;           /* the wanted product whose outlines are drawn over the image; TS_NONE: none is */
  /* The first fault of each code and how many there were: a full disk is one fault, not one per tile. */
  struct product_fault {
    struct ts_error first;
    size_t count;
  } faults[PRODUCT_FAULTS_MAX];
  size_t fault_count;
  bool gave_up; /* files cannot be written: the rest is not tried */
};

/* Before the first product: makes the folder, and removes the files of an earlier run in it. */
void ts_write_products_begin(struct product_writer *writer);
/* For ts_run_options.on_product; user is a struct product_writer. */
void ts_write_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data);
/* After the last product. ran_to_end: files of which some tiles failed are written without these; otherwise the run was
 * stopped, and they are not. Faults go to the issues, each once with how many like it there were. */
void ts_write_products_end(struct product_writer *writer, const char *state, bool ran_to_end);
void ts_write_products_release(struct product_writer *writer);

#endif
