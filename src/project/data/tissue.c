/* Decides for which items tissue is looked for, and which of their tiles are kept.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/tissue.h"

#include "base/alloc.h"
#include "base/file_identity.h"
#include "csv/csv.h"

#include <string.h>

/* "auto" looks at images with more pixels than this: a smaller one has at most some sixty tiles of 512, most of them
 * with tissue, and its tiles take a few seconds altogether. */
#define AUTO_PX 16000000

/* Part of the key of a choice: another one if the kernel finds other tissue. */
#define MASK_VERSION 1

bool ts_tissue_is_choice(const char *word) {
  return strcmp(word, "auto") == 0 || strcmp(word, "on") == 0 || strcmp(word, "off") == 0;
}

static const char *choice_of(const struct ts_project *project) {
  if (project->request->tissue) return project->request->tissue;
  return project->study.tissue ? project->study.tissue : "auto";
}

/* ---- Whether, and from what. ---- */

struct decision {
  enum ts_tissue_source source;
  size_t input;     /* OTSU: the image */
  const char *mask; /* FILE: its path */
};

static size_t find_colour(const struct ts_project *project, const struct ts_item *item) {
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    const struct ts_item_source *source = &item->sources[i];
    if (source->path && source->type && strcmp(source->type->name, "image/rgb8") == 0) return i;
  }
  return TS_NONE;
}

static bool has_truth(const struct ts_project *project, const struct ts_item *item) {
  for (size_t i = 0; i < project->workflow->input_count; i++)
    if (item->sources[i].path && ts_is_reference_input(&project->workflow->inputs[i])) return true;
  return false;
}

static void note(const char **first, size_t *count, const struct ts_item *item) {
  if ((*count)++ == 0) *first = item->name;
}

/* A mask that the user names is taken wherever tissue is not off. A missed object of the truth must count wherever it
 * lies: "auto" leaves such items alone. */
static struct decision decide(const struct ts_project *project, const struct ts_item *item,
                              struct tissue_notes *notes) {
  const struct ts_given_tissue *given = &item->given_tissue;
  const char *choice = choice_of(project);
  struct decision decision = {.input = find_colour(project, item), .mask = given->mask};
  if (given->is_off || strcmp(choice, "off") == 0) return decision;
  const bool is_auto = strcmp(choice, "auto") == 0, is_true = has_truth(project, item);
  const struct ts_region *whole = &item->grid.whole;
  if (given->mask || (given->kept && given->kept->source == TS_TISSUE_FILE)) {
    decision.source = TS_TISSUE_FILE;
  } else if (decision.input == TS_NONE) {
    if (!is_auto) note(&notes->without_colour, &notes->without_colour_count, item);
  } else if (!is_auto || (!is_true && (double)whole->width * (double)whole->height > AUTO_PX)) {
    decision.source = TS_TISSUE_OTSU;
  }
  if (is_true && decision.source != TS_TISSUE_OFF) note(&notes->with_truth, &notes->with_truth_count, item);
  return decision;
}

void ts_tissue_warn(const struct tissue_notes *notes, struct ts_issues *issues) {
  if (notes->with_truth_count > 0)
    ts_issues_warn(issues,
                   "tiles without tissue are left out although '%s' has a truth (%zu item%s): objects of the truth in "
                   "such tiles do not count as missed",
                   notes->with_truth, notes->with_truth_count, notes->with_truth_count == 1 ? "" : "s");
  if (notes->without_colour_count > 0)
    ts_issues_warn(issues,
                   "'%s' has no image of type image/rgb8 to look for tissue in (%zu item%s): all its tiles are kept",
                   notes->without_colour, notes->without_colour_count, notes->without_colour_count == 1 ? "" : "s");
}

/* ---- What decides which tiles are kept. ---- */

static void key_of(const struct ts_item *item, const struct decision *decision, struct ts_tissue *tissue) {
  const struct ts_grid *g = &item->grid;
  ts_auto(ts_str_release) struct ts_str text = {0};
  char hex[65];
  const bool is_file = decision->source == TS_TISSUE_FILE;
  const struct ts_sha256 *digest = is_file ? &tissue->mask : &item->sources[decision->input].digest;
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  ts_str_addf(&text, "tissue %d %s %s %lld x %lld level %d tiles %lld x %lld halo %lld um ", MASK_VERSION,
              is_file ? "file" : "otsu", hex, (long long)g->whole.width, (long long)g->whole.height,
              (int)g->whole.level, (long long)g->width, (long long)g->height, (long long)g->halo_px);
  ts_str_add_double(&text, is_file ? 0 : item->pixel_size.x_um);
  ts_str_add_char(&text, ' ');
  ts_str_add_double(&text, is_file ? 0 : item->pixel_size.y_um);
  ts_sha256_of(ts_str_get(&text), text.length, &tissue->key);
}

/* What is known about the item from the run that is continued; NULL: nothing. */
static const struct ts_tissue *find_begun(struct ts_project *project, const struct ts_item *item) {
  const json_t *items = project->begun ? project->order_reader->items(project->begun) : NULL;
  for (size_t i = 0; i < json_array_size(items); i++) {
    const json_t *other = json_array_get(items, i);
    const char *name = json_string_value(json_object_get(other, "name"));
    const struct ts_tissue *kept = NULL;
    struct ts_error err = {0};
    if (name && strcmp(name, item->name) == 0 && ts_tissue_restore(&project->arena, other, &kept, &err)) return kept;
  }
  return NULL;
}

/* ---- Tiles. ---- */

/* The marks of all tiles of the grid as run lengths. */
static void keep_runs(struct ts_arena *arena, const bool *marks, size_t count, struct ts_tissue *tissue) {
  size_t run_count = 1;
  for (size_t i = 0; i < count; i++) run_count += marks[i] != (i > 0 && marks[i - 1]);
  uint32_t *runs = ts_arena_array(arena, run_count, sizeof *runs);
  size_t run = 0;
  for (size_t i = 0; i < count; i++) {
    if (marks[i] != (run % 2 == 1)) run++;
    runs[run]++;
  }
  tissue->runs = runs;
  tissue->run_count = run + 1;
}

/* How many tiles remain, at the front. 0: the runs do not fit the grid. */
static size_t take_runs(const struct ts_tissue *tissue, struct ts_tile *tiles, size_t count) {
  size_t tile = 0, kept = 0;
  for (size_t run = 0; run < tissue->run_count; run++) {
    if (tissue->runs[run] > count - tile) return 0;
    for (size_t end = tile + tissue->runs[run]; tile < end; tile++)
      if (run % 2 == 1) tiles[kept++] = tiles[tile];
  }
  return tile == count ? kept : 0;
}

static void mark_tiles(const struct tissue_mask *mask, const struct ts_tile *tiles, size_t count, bool *marks) {
  bool is_any = false;
  for (size_t i = 0; i < count; i++) {
    marks[i] = ts_tissue_mask_meets(mask, &tiles[i].region);
    is_any = is_any || marks[i];
  }
  if (!is_any) marks[0] = true; /* an item has at least one tile */
}

static size_t search(struct ts_project *project, struct ts_item *item, const struct decision *decision,
                     struct ts_tile *tiles, size_t count, struct ts_error *err) {
  ts_auto(ts_tissue_mask_release) struct tissue_mask mask = {0};
  const bool ok = decision->source == TS_TISSUE_FILE ? ts_tissue_mask_read(project, item, decision->mask, &mask, err)
                                                     : ts_tissue_mask_find(project, item, decision->input, &mask, err);
  if (!ok) return count;
  ts_auto_free bool *marks = ts_calloc(count, sizeof *marks);
  mark_tiles(&mask, tiles, count, marks);
  keep_runs(&project->arena, marks, count, &item->tissue);
  return take_runs(&item->tissue, tiles, count);
}

/* Of a mask that a manifest names the place is its cell. */
static void report(const struct item_facts *facts, size_t index, bool is_mask, struct ts_error *err,
                   struct ts_issues *issues) {
  if (is_mask && facts && facts->manifest && facts->tissue_column != TS_NONE) {
    int line = facts->lines[index], column = 1;
    ts_csv_locate(facts->manifest, facts->lines[index], facts->tissue_column, &line, &column);
    err->where.file[0] = err->where.path[0] = '\0'; /* the name of the mask, which is in the text */
    ts_error_place(err, facts->manifest, line, column, NULL);
  }
  ts_issues_fault(issues, err);
}

/* As a work order says: the mask is not made again. */
static size_t follow_order(struct ts_item *item, const struct ts_tissue *kept, struct ts_tile *tiles, size_t count,
                           struct ts_issues *issues) {
  if (!kept) return count;
  item->tissue = *kept;
  const size_t left = take_runs(kept, tiles, count);
  if (left > 0) return left;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_STORE_FORMAT, "the work order gives '%s' other tiles than its image has", item->name);
  ts_error_help(&err, "start a new run; if that happens often, check the store with: tessera store verify");
  ts_issues_fault(issues, &err);
  return count;
}

/* Of the file, or what a work order says where the file is not at hand. */
static bool digest_mask(const struct ts_item *item, const struct decision *decision, struct ts_sha256 *digest,
                        struct ts_error *err) {
  struct ts_file_identity identity;
  if (decision->mask) return ts_file_digest(decision->mask, digest, &identity, err);
  *digest = item->given_tissue.kept->mask;
  return true;
}

static bool is_same_choice(const struct ts_tissue *known, const struct ts_tissue *wanted) {
  return known && memcmp(&known->key, &wanted->key, sizeof known->key) == 0;
}

/* Looks for tissue as decided, unless the run that is continued did. */
static size_t settle(struct ts_project *project, struct ts_item *item, const struct decision *decision,
                     struct ts_tile *tiles, size_t count, struct ts_issues *issues, struct ts_error *err) {
  const struct ts_given_tissue *given = &item->given_tissue;
  const bool is_file = decision->source == TS_TISSUE_FILE;
  item->tissue.source = decision->source;
  if (is_file && !digest_mask(item, decision, &item->tissue.mask, err)) return count;
  key_of(item, decision, &item->tissue);
  const struct ts_tissue *known = given->kept ? given->kept : find_begun(project, item);
  if (is_same_choice(known, &item->tissue)) return follow_order(item, known, tiles, count, issues);
  if (!is_file || decision->mask) return search(project, item, decision, tiles, count, err);
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, "the tissue mask of '%s' is not at hand, but its image is cut in another way",
          item->name);
  ts_error_help(err, "start a new run where the manifest and its masks are");
  return count;
}

size_t ts_tissue_select(struct ts_project *project, struct ts_item *item, const struct item_facts *facts, size_t index,
                        bool is_cut_again, struct ts_tile *tiles, size_t count, struct tissue_notes *notes,
                        struct ts_issues *issues) {
  item->tissue = (struct ts_tissue){0};
  if (project->order && !is_cut_again) return follow_order(item, item->given_tissue.kept, tiles, count, issues);
  if (count < 2) return count;
  const struct decision decision = decide(project, item, notes);
  if (decision.source == TS_TISSUE_OFF) return count;
  ts_phase_begin(project->phases, TS_PHASE_TISSUE, project->dataset.item_count);
  ts_phase_set(project->phases, index, project->dataset.item_count);
  struct ts_error err = {0};
  const size_t left = settle(project, item, &decision, tiles, count, issues, &err);
  if (err.code != TS_ERR_OK) report(facts, index, decision.source == TS_TISSUE_FILE, &err, issues);
  return left;
}
