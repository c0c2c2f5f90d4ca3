/* Shared by sample and analyse: opening the space, reporting progress, writing a file piece by piece.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_MODEL_MODEL_H
#define TS_MODEL_MODEL_H

#include "analysis/analysis.h"
#include "analysis/method.h"
#include "design/points.h"
#include "project/project.h"

#include <stdint.h>

/* space_file.c: the space of a request, with the groups its parameters name. */
struct space_file {
  struct ts_space space;
  struct ts_request request; /* that of the project */
  struct ts_project project; /* whose parameters the space has, if it is from a workflow or study */
  struct ts_arena arena;     /* owns what follows */
  size_t *group_of;          /* per parameter; NULL: no groups */
  const char **group_names;  /* a parameter without a group is a group of its name */
  size_t group_count;        /* space.count without groups */
  const char **names;        /* of the parameters */
  double *correlation;       /* wanted rank correlations, k x k; NULL: independent */
};
/* From a space file, a problem of SALib, the file beside a design, a workflow or a study (the parameters it varies).
 * Release in either case. */
bool ts_space_file_open(struct space_file *file, const struct ts_request *request, struct ts_issues *issues);
void ts_space_file_release(struct space_file *file);
/* Fills names and groups from the space. */
void ts_space_file_name(struct space_file *file);
/* The space in the one form of ts_space_to_json, with the correlations; a new reference. Its SHA-256, in hexadecimal
 * digits: equal for spaces from which the same designs are drawn, however their files are written. */
json_t *ts_space_file_to_json(const struct space_file *file);
#define TS_SPACE_DIGEST_SIZE 65
void ts_space_file_digest(const struct space_file *file, char text[TS_SPACE_DIGEST_SIZE]);
/* space_correlations.c: "correlations": [{"between": ["a", "b"], "rank": 0.5}] of the object of a space. */
bool ts_space_correlations_read(const struct ts_json_doc *doc, const json_t *object, const char *object_pointer,
                                struct space_file *file, struct ts_issues *issues);

/* meter.c: progress of work that is counted in rows; nothing is reported of what is over at once. */
#define TS_METER_STAGES 2
struct meter {
  const struct ts_request *request; /* borrowed */
  uint64_t start_ns, told_ns;
  size_t threads;
  struct tessera_stage stages[TS_METER_STAGES];
  size_t current;
};
void ts_meter_init(struct meter *meter, const struct ts_request *request, size_t threads, const char *first,
                   const char *second);
/* Begins a stage; the one before is done. `total` 0: not known. */
void ts_meter_begin(struct meter *meter, size_t stage, uint64_t total);
/* More of the current stage is done. CANCELLED if the user asked to stop. */
bool ts_meter_add(struct meter *meter, uint64_t count, struct ts_error *err);
void ts_meter_end(struct meter *meter);

/* piecewise_file.c: a file that is written piece by piece and appears whole, or not at all. */
struct piecewise_file {
  const char *path; /* borrowed */
  char *temporary;  /* owned; where it is until it is whole; NULL: it has no name yet, or is a device or pipe */
  bool is_nameless;
  int fd;
};
bool ts_piecewise_open(struct piecewise_file *file, const char *path, struct ts_error *err);
bool ts_piecewise_write(struct piecewise_file *file, const char *text, size_t length, struct ts_error *err);
/* With `keep` the file takes its place; without, nothing is left of it. */
bool ts_piecewise_close(struct piecewise_file *file, bool keep, struct ts_error *err);

/* sample.c, analyse.c, schedule.c: the commands; what they find goes to the object of the reply. */
/* False: the reader of the text went away, which is not a fault. */
bool ts_model_sample(const struct ts_request *request, json_t *object, struct ts_issues *issues);
void ts_model_analyse(const struct ts_request *request, json_t *object, struct ts_issues *issues);
/* Whether every demand is met. */
bool ts_model_schedule(const struct ts_request *request, json_t *object, struct ts_issues *issues);

/* schedule_reply.c: the list of ts_list; a new reference. */
json_t *ts_scheduler_list(void);
/* analyses.c: the methods that a design is made for; of independent rows those that take any design. A new
 * reference. */
json_t *ts_fitting_analyses(enum ts_layout layout);
/* "correlation, regression, ... or pce": methods that take any design. */
void ts_add_free_analyses(struct ts_str *out);
/* Whether a method takes designs of a layout as they are meant. */
bool ts_method_takes(const struct ts_method *method, enum ts_layout layout);
/* "Saltelli design": what a method that needs the layout needs. */
const char *ts_layout_design(enum ts_layout layout);
/* The sampler that makes such designs. */
const char *ts_layout_sampler(enum ts_layout layout);

/* analyse_reply.c: the indices of one output; a new reference. */
json_t *ts_analysis_output_json(const char *name, const struct ts_indices *indices);
/* The indices of a Morris analysis in their older form; owned by the caller. */
struct ts_morris_index *ts_morris_of_indices(const struct ts_indices *indices);
/* analyse_table.c: the indices of a reply as CSV, a row per output and parameter. */
void ts_analysis_table(const json_t *reply, struct ts_str *csv);

#endif
