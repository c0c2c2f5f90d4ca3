/* How results look: what a renderer has to know about the place where its text will be read.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_VIEW_H
#define TS_CLI_VIEW_H

#include "base/str.h"

#include <jansson.h>
#include <stdbool.h>

struct ts_view {
  bool color;
  bool unicode;        /* otherwise bars are drawn in ASCII */
  bool quiet;          /* no hints on what to do next */
  bool no_cutoff;      /* the plan was made without early cutoff */
  bool verbose;        /* also what few ask for: digests, and what was looked at to answer */
  int width;           /* columns; 0: unbounded */
  const char *program; /* borrowed; "tessera", or "tessera -C DIR": starts every command that is proposed */
};

/* One per schema: text for people from a reply without faults. */
void ts_show_check(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_plan(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_run(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_study(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_status(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_log(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_explain(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_report(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_init(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_list(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_bench(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_sample(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_costs(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_verify(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_compare(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_du(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_gc(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_analyse(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_schedule(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_tune(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_call(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_nothing(const json_t *reply, const struct ts_view *view, struct ts_str *out); /* nobody reads it */
/* Where the time of a run went, for -v; nothing if the reply does not say. */
void ts_show_profile(const json_t *reply, const struct ts_view *view, struct ts_str *out);

/* show/start.c: the ports of an operation as "image: image/rgb8, mask: mask", its parameters as "G1 integer 0..255". */
void ts_show_ports(struct ts_str *out, const json_t *ports);
void ts_show_parameters(struct ts_str *out, const json_t *parameters);

/* show_tissue.c: a line for each file that tissue was looked for in. */
void ts_show_tissue(const json_t *reply, struct ts_str *out);

/* show/halo.c: a line about the halo of tiles, where images are cut. */
void ts_show_halo(const json_t *reply, struct ts_str *out);

/* show_costs.c: the time that a plan would take, and where its costs come from. */
void ts_show_prediction(const json_t *reply, struct ts_str *out);

/* show_indices.c: parts of ts_show_study. */
void ts_show_indices(const json_t *reply, const json_t *output, const struct ts_view *view, struct ts_str *out);
/* "minSize (um2)": a parameter with its unit, if the reply gives one. */
void ts_show_parameter(const json_t *reply, const char *name, const struct ts_view *view, struct ts_str *out);
void ts_show_spread(const json_t *reply, const json_t *output, struct ts_str *out);
/* The analysis that answers for an output: the last phase's, over all files; NULL: none. */
const json_t *ts_show_answering(const json_t *reply, const json_t *output);
/* The entry of a list with this name; NULL: none. */
const json_t *ts_show_index_named(const json_t *indices, const char *name);
void ts_show_phases(const json_t *reply, const struct ts_view *view, struct ts_str *out);
/* show/best.c: the best run of a study with a goal, and how to use it; of a run: "Values: set 37 of study 1a2b3c4d, its
 * best". */
void ts_show_best(const json_t *reply, const struct ts_view *view, struct ts_str *out);
void ts_show_values_from(const json_t *reply, struct ts_str *out);
/* show_data_parts.c: the same for groups of the data, and for held-out files. */
void ts_show_groups(const json_t *reply, const json_t *output, const struct ts_view *view, struct ts_str *out);
void ts_show_held_out(const json_t *reply, struct ts_str *out);

#endif
