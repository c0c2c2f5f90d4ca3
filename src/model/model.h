/* Shared by sample and analyse: opening the space, reporting progress, writing a file piece by piece.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_MODEL_MODEL_H
#define TS_MODEL_MODEL_H

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
/* From a space file, a workflow or a study (the parameters it varies). Release in either case. */
bool ts_space_file_open(struct space_file *file, const struct ts_request *request, struct ts_issues *issues);
void ts_space_file_release(struct space_file *file);
/* Fills names and groups from the space. */
void ts_space_file_name(struct space_file *file);
/* space_correlations.c: "correlations": [{"between": ["a", "b"], "rank": 0.5}] of a space file. */
bool ts_space_correlations_read(const struct ts_json_doc *doc, struct space_file *file, struct ts_issues *issues);

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
/* analyse_reply.c: the indices of one output; a new reference. */
json_t *ts_analysis_output_json(const char *name, const struct ts_indices *indices);

#endif
