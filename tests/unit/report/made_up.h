/* Made-up results for the tests of the report: a usual study and the extreme ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_REPORT_MADE_UP_H
#define TS_TESTS_UNIT_REPORT_MADE_UP_H

#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"
#include "report/report.h"
#include "report/result.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What a made-up study looks like. */
struct made_up {
  const char *question;
  const char *const *names;
  size_t name_count;
  const double *mu_star; /* one per name */
  size_t trajectories;
  size_t output_count;
  size_t files, tiles_per_side;
  size_t spans, workers;
  size_t failures;
  const char *const *warnings;
  size_t warning_count;
};

static const char *const made_up_tasks[] = {
    "normalise.colour", "segment.background", "segment.reconstruct", "segment.candidates", "segment.size",
    "segment.split",    "segment.refine",     "segment.final_size",  "compare.table",      "features.table"};

static inline void made_up_indices(const struct made_up *study, size_t output, struct ts_morris_index *indices) {
  for (size_t i = 0; i < study->name_count; i++) {
    /* Other outputs rank the parameters differently. */
    double size = study->mu_star[(i + output) % study->name_count] * (output ? 3.7 : 1);
    indices[i] = (struct ts_morris_index){.name = study->names[i],
                                          .mu = i % 3 ? size : -size,
                                          .mu_star = size,
                                          .sigma = size * (0.15 + 0.3 * (double)(i % 4)),
                                          .mu_star_low = size * 0.86,
                                          .mu_star_high = size * 1.13,
                                          .mu_low = NAN,
                                          .mu_high = NAN,
                                          .sigma_low = NAN,
                                          .sigma_high = NAN,
                                          .effect_count = study->trajectories};
  }
}

static inline json_t *made_up_outputs(const struct made_up *study, struct ts_str *answer) {
  json_t *outputs = json_array();
  struct ts_morris_index *indices = ts_calloc(study->name_count, sizeof *indices);
  const char *names[] = {"compare.table:diff", "features.table:nuclei",
                         "features.table:mean_area_of_a_nucleus_in_pixels"};
  for (size_t i = 0; i < study->output_count; i++) {
    made_up_indices(study, i, indices);
    json_array_append_new(outputs, ts_result_morris_output(names[i], "sum", indices, study->name_count));
    if (i > 0) continue;
    struct ts_findings findings;
    ts_findings_of_morris(&findings, indices, study->name_count);
    ts_answer(&findings, "the number of differing pixels", answer);
    ts_findings_release(&findings);
  }
  free(indices);
  return outputs;
}

/* The analysis that an output's indices come from, as a study says it. */
static inline json_t *made_up_morris_of(const struct made_up *study, const json_t *output, size_t runs) {
  const json_t *pairs = json_object_get(output, "unsettled");
  json_t *open = json_array();
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    const json_t *pair = json_array_get(pairs, i);
    json_array_append_new(open, json_pack("{s:O, s:O}", "a", json_array_get(pair, 0), "b", json_array_get(pair, 1)));
  }
  const char *name = json_string_value(json_object_get(output, "name"));
  return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:f, s:[s,s,s], s:s, s:O, s:o}", "phase", 1, "method",
                   "morris", "output", name, "label", name, "over_tiles", "sum", "file", "", "runs", (json_int_t)runs,
                   "blocks", (json_int_t)study->trajectories, "resamples", 1000, "confidence", 0.95, "columns", "mu",
                   "mu_star", "sigma", "rank_by", "mu_star", "indices", json_object_get(output, "indices"), "unsettled",
                   open);
}

static inline json_t *made_up_morris_analyses(const struct made_up *study, const json_t *outputs, size_t runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(outputs); i++)
    json_array_append_new(list, made_up_morris_of(study, json_array_get(outputs, i), runs));
  return list;
}

static inline json_t *made_up_params(const struct made_up *study) {
  json_t *params = json_array();
  for (size_t i = 0; i < study->name_count; i++) {
    json_t *param =
        json_pack("{s:s,s:s,s:i,s:s}", "name", study->names[i], "type", i % 4 ? "integer" : "real", "default",
                  (int)(10 + 5 * i), "help", i % 2 ? "contrast that starts a candidate nucleus" : "");
    if (i % 4) {
      json_object_set_new(param, "levels", json_integer((json_int_t)(4 + i)));
    } else {
      json_object_set_new(param, "range", json_pack("[f,f]", 2.5, 7.5));
    }
    json_array_append_new(params, param);
  }
  return params;
}

/* Every level parts each box of the level above into up to three. */
static inline json_t *made_up_tree(size_t runs) {
  json_t *levels = json_array();
  size_t *cuts = ts_calloc(runs + 1, sizeof *cuts), cut_count = 2;
  cuts[1] = runs;
  for (size_t level = 0; level < COUNT_OF(made_up_tasks); level++) {
    json_t *boxes = json_array();
    for (size_t i = 0; i + 1 < cut_count; i++) {
      json_array_append_new(boxes, json_pack("{s:I,s:I,s:I}", "from", (json_int_t)cuts[i], "to",
                                             (json_int_t)cuts[i + 1], "runs", (json_int_t)(cuts[i + 1] - cuts[i])));
    }
    json_array_append_new(levels, json_pack("{s:s,s:o}", "task", made_up_tasks[level], "boxes", boxes));
    size_t *next = ts_calloc(runs + 1, sizeof *next), next_count = 1;
    for (size_t i = 0; i + 1 < cut_count; i++) {
      size_t width = cuts[i + 1] - cuts[i];
      if (width > 3) next[next_count++] = cuts[i] + width / 2;
      if (width > 5 && (i + level) % 2) next[next_count++] = cuts[i] + width / 2 + width / 4;
      next[next_count++] = cuts[i + 1];
    }
    free(cuts);
    cuts = next;
    cut_count = next_count;
  }
  free(cuts);
  return json_pack("{s:I,s:o}", "runs", (json_int_t)runs, "levels", levels);
}

static inline json_t *made_up_timeline(size_t spans, size_t workers) {
  json_t *timeline = json_array();
  struct ts_random random;
  ts_random_init(&random, 3, 0);
  double *clock = ts_calloc(workers, sizeof *clock);
  for (size_t i = 0; i < spans; i++) {
    size_t w = i % workers, task = (size_t)ts_random_below(&random, COUNT_OF(made_up_tasks));
    double start = clock[w] + 0.02 * ts_random_unit(&random),
           end = start + (task == 5 ? 0.9 : 0.25) * ts_random_unit(&random);
    json_array_append_new(timeline,
                          json_pack("{s:I,s:f,s:f,s:s}", "worker", (json_int_t)w, "start", round(start * 1e4) / 1e4,
                                    "end", round(end * 1e4) / 1e4, "task", made_up_tasks[task]));
    clock[w] = end;
  }
  free(clock);
  return timeline;
}

static inline json_t *made_up_tiles(size_t files, size_t side) {
  json_t *tiles = json_array();
  for (size_t f = 0; f < files; f++) {
    for (size_t i = 0; i < side * side; i++) {
      double dx = (double)(i % side) - (double)side / 2, dy = (double)(i / side) - (double)side / 3;
      char file[64];
      snprintf(file, sizeof file, "slides/patient-%zu/biopsy & stain <%zu>.svs", f + 1, f);
      json_array_append_new(
          tiles, json_pack("{s:s,s:I,s:I,s:{s:f,s:f}}", "file", file, "x", (json_int_t)(i % side * 1024), "y",
                           (json_int_t)(i / side * 1024), "values", "mean difference",
                           round(4000 * exp(-(dx * dx + dy * dy) / (double)(side + 1))), "dice", 1 / (1 + dx * dx)));
    }
  }
  return tiles;
}

static inline json_t *made_up_runs(const struct made_up *study) {
  json_t *runs = json_array();
  size_t count = study->trajectories * (study->name_count + 1);
  for (size_t r = 0; r < count; r++) {
    json_t *params = json_object();
    for (size_t i = 0; i < study->name_count; i++) {
      json_object_set_new(params, study->names[i], json_integer((json_int_t)((r * 7 + i * 3) % 80)));
    }
    json_t *outputs =
        json_pack("{s:o}", "compare.table:diff", r % 50 == 49 ? json_null() : json_real((double)(r * 37 % 9000)));
    json_array_append_new(runs, json_pack("{s:I,s:o,s:o}", "set", (json_int_t)r, "params", params, "outputs", outputs));
  }
  return runs;
}

static inline json_t *made_up_by_task(size_t runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < COUNT_OF(made_up_tasks); i++) {
    const char *dot = strchr(made_up_tasks[i], '.');
    char stage[32];
    snprintf(stage, sizeof stage, "%.*s", (int)(dot - made_up_tasks[i]), made_up_tasks[i]);
    size_t executed = i == 0 ? 1 : runs * i / 12;
    json_array_append_new(list, json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:i,s:i,s:i,s:f}", "stage", stage, "task", dot + 1,
                                          "requested", (json_int_t)(runs * 16), "executed", (json_int_t)(executed * 16),
                                          "stage_reused", (json_int_t)(runs * 2), "task_reused",
                                          (json_int_t)(runs * 14 - executed * 16), "cutoff", 0, "store", 0, "failed", 0,
                                          "cpu_s", 1.37 * (double)i));
  }
  return list;
}

static inline json_t *made_up_study(const struct made_up *study) {
  struct ts_str answer = {0};
  size_t runs = study->trajectories * (study->name_count + 1);
  json_t *outputs = made_up_outputs(study, &answer), *warnings = json_array(), *failed = json_array();
  for (size_t i = 0; i < study->warning_count; i++) json_array_append_new(warnings, json_string(study->warnings[i]));
  for (size_t i = 0; i < study->failures; i++) {
    json_array_append_new(failed, json_pack("{s:s,s:s}", "task", "segment.split (run 49, tile 12,40)", "message",
                                            "error[T511]: out of memory: 3.9 GB used, limit 4 GB"));
  }
  json_t *result = json_pack("{s:s,s:{s:s,s:s},s:s,s:s,s:s,s:s,s:s}", "schema", "tessera.study/2", "tool", "name",
                             "tessera", "version", "0.1.0", "run", "7f3a91bc", "study", "nuclei", "question",
                             study->question, "answer", ts_str_get(&answer), "command",
                             "tessera study study.json --method morris --trajectories 10 --levels 4 --seed 500");
  json_object_set_new(result, "inputs",
                      json_pack("[{s:s,s:s},{s:s,s:s}]", "path", "slides/demo.tif", "hash",
                                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "path",
                                "workflows/nuclei/workflow.json", "hash",
                                "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"));
  json_object_set_new(result, "params", made_up_params(study));
  json_object_set_new(result, "method",
                      json_pack("{s:s,s:I,s:i,s:i,s:I,s:i,s:f}", "name", "morris", "trajectories",
                                (json_int_t)study->trajectories, "levels", 4, "seed", 500, "runs", (json_int_t)runs,
                                "resamples", 1000, "confidence", 0.95));
  json_object_set_new(result, "outputs", outputs);
  json_object_set(result, "indices", json_object_get(json_array_get(outputs, 0), "indices"));
  json_object_set_new(result, "analyses", made_up_morris_analyses(study, outputs, runs));
  json_int_t requested = (json_int_t)(runs * 160), executed = requested * 3 / 10;
  json_object_set_new(result, "reuse",
                      json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:i,s:I,s:i}", "requested", requested, "stage",
                                requested / 10, "task", requested * 5 / 10, "cutoff", requested / 100, "store",
                                requested - executed - requested / 10 - requested * 5 / 10 - requested / 100,
                                "executed", executed, "recomputed", 0, "failed", (json_int_t)study->failures, "skipped",
                                0));
  json_object_set_new(result, "reference", json_pack("{s:i,s:i}", "requested", 160, "executed", 160));
  json_object_set_new(result, "by_task", made_up_by_task(runs));
  json_object_set_new(result, "tree", made_up_tree(runs));
  json_object_set_new(result, "timeline", made_up_timeline(study->spans, study->workers));
  json_object_set_new(result, "tiles", made_up_tiles(study->files, study->tiles_per_side));
  json_object_set_new(result, "runs", made_up_runs(study));
  json_object_set_new(result, "warnings", warnings);
  json_object_set_new(result, "failed", failed);
  json_object_set_new(result, "wall_s", json_real(131.2));
  json_object_set_new(result, "cpu_s", json_real(804.9));
  json_object_set_new(result, "threads", json_integer((json_int_t)study->workers));
  json_object_set_new(result, "peak_bytes", json_integer(1234567890));
  json_object_set_new(result, "store", json_string(".tessera/store"));
  json_object_set_new(result, "report", json_string("out/report.html"));
  json_object_set_new(result, "started", json_string("2026-01-31T12:00:00Z"));
  ts_str_release(&answer);
  return result;
}

/* ---- a picture ---- */

static inline uint32_t made_up_crc(const uint8_t *bytes, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

static inline void made_up_u32(struct ts_str *out, uint32_t value) {
  const uint8_t bytes[] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
  ts_str_add_bytes(out, bytes, 4);
}

static inline void made_up_chunk(struct ts_str *out, const char *type, const struct ts_str *data) {
  made_up_u32(out, (uint32_t)data->length);
  size_t start = out->length;
  ts_str_add(out, type);
  ts_str_add_bytes(out, ts_str_get(data), data->length);
  made_up_u32(out, made_up_crc((const uint8_t *)out->data + start, out->length - start));
}

/* A grey PNG of dots (side x side px, below 256), not compressed. */
static inline void made_up_png(struct ts_str *png, unsigned side, double dot) {
  struct ts_str rows = {0}, data = {0}, header = {0}, none = {0};
  for (unsigned y = 0; y < side; y++) {
    ts_str_add_char(&rows, '\0');
    for (unsigned x = 0; x < side; x++) {
      double dx = (double)(x % 40) - 20, dy = (double)((y + 13 * (x / 40)) % 40) - 20;
      ts_str_add_char(&rows, (char)(dx * dx + dy * dy < dot * dot ? 90 : 225));
    }
  }
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < rows.length; i++) {
    a = (a + (uint8_t)rows.data[i]) % 65521;
    b = (b + a) % 65521;
  }
  ts_str_add_bytes(&data, "\x78\x01", 2);
  uint16_t size = (uint16_t)rows.length;
  const uint8_t block[] = {1, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)~size, (uint8_t)(~size >> 8)};
  ts_str_add_bytes(&data, block, 5);
  ts_str_add_bytes(&data, rows.data, rows.length);
  made_up_u32(&data, b << 16 | a);
  made_up_u32(&header, side);
  made_up_u32(&header, side);
  ts_str_add_bytes(&header, "\x08\x00\x00\x00\x00", 5);
  ts_str_add_bytes(png, "\x89PNG\r\n\x1a\n", 8);
  made_up_chunk(png, "IHDR", &header);
  made_up_chunk(png, "IDAT", &data);
  made_up_chunk(png, "IEND", &none);
  ts_str_release(&rows);
  ts_str_release(&data);
  ts_str_release(&header);
}

#endif
