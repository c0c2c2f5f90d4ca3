/* Pixels of an image of a project, in any rectangle and at any level.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "base/alloc.h"
#include "project/data/check_data.h"

#include <string.h>

#define MOST_BYTES ((size_t)1 << 12) /* larger: it was not initialised */

/* The first input that is an image, a reference only if there is nothing else. */
static size_t usual_input(const struct ts_workflow *w) {
  size_t found = TS_NONE;
  for (size_t i = 0; i < w->input_count; i++) {
    if (!ts_input_is_image(&w->inputs[i])) continue;
    if (!ts_is_reference_input(&w->inputs[i])) return i;
    if (found == TS_NONE) found = i;
  }
  return found;
}

static bool no_input(const struct ts_workflow *w, const char *name, struct ts_error *err) {
  ts_auto_free const char **names = ts_calloc(w->input_count + 1, sizeof *names);
  for (size_t i = 0; i < w->input_count; i++) names[i] = w->inputs[i].name;
  ts_fail(err, TS_ERR_NO_PRODUCER, "the workflow '%s' has no %s '%s'", w->name, name ? "input" : "input of type",
          name ? name : "image");
  const char *near = name ? ts_nearest_word(name, names, w->input_count) : NULL;
  if (near) ts_error_help(err, "did you mean '%s'?", near);
  ts_error_help(err, "the inputs are listed in the description of the project");
  return false;
}

/* The file of the item for the input, which must be an image. */
static const struct ts_item_source *find_source(const struct ts_project *project, const struct tessera_tile *tile,
                                                struct ts_error *err) {
  const struct ts_workflow *w = project->workflow;
  const struct ts_dataset *dataset = &project->dataset;
  size_t input = tile->input ? TS_NONE : usual_input(w);
  if (tile->input ? !ts_workflow_find_input(w, tile->input, &input) : input == TS_NONE) {
    no_input(w, tile->input, err);
    return NULL;
  }
  if (tile->item >= dataset->item_count) {
    ts_fail(err, TS_ERR_BAD_VALUE, "there is no item %zu: the project has %zu", tile->item, dataset->item_count);
    ts_error_help(err, "items are numbered from 0");
    return NULL;
  }
  const struct ts_item_source *source = &dataset->items[tile->item].sources[input];
  if (source->path && source->type && source->type->kind == TS_DATA_PIXELS) return source;
  ts_fail(err, TS_ERR_NO_TILES, "item '%s' has no image for the input '%s'", dataset->items[tile->item].name,
          w->inputs[input].name);
  ts_error_help(err, "name an input that has images; the description of the project lists the files of each item");
  return NULL;
}

/* Whether the caller has set fields that are not known here. */
static bool has_unknown(const struct tessera_tile *given) {
  const char *bytes = (const char *)given;
  for (size_t i = sizeof *given; i < given->size_bytes && i < MOST_BYTES; i++)
    if (bytes[i] != 0) return true;
  return given->size_bytes > MOST_BYTES;
}

/* What the caller has; zero where its struct is shorter. */
static bool take(const struct tessera_tile *given, struct tessera_tile *tile, struct ts_error *err) {
  *tile = (struct tessera_tile){.size_bytes = sizeof *tile};
  if (has_unknown(given)) {
    ts_fail(err, TS_ERR_USAGE, "the tile has fields that this library does not know, or was not initialised");
    ts_error_help(err, "set size_bytes to sizeof(struct tessera_tile), and use the library of its header");
    return false;
  }
  if (ts_handle_copy_out(tile, given->size_bytes < sizeof *tile ? given->size_bytes : sizeof *tile, given,
                         sizeof *given))
    return true;
  ts_fail(err, TS_ERR_USAGE, "the tile says that it has %zu bytes, which no version of it has", given->size_bytes);
  ts_error_help(err, "set size_bytes to sizeof(struct tessera_tile)");
  return false;
}

struct tessera_product *tessera_project_tile(struct tessera_project *project, const struct tessera_tile *tile,
                                             char **reply) {
  struct ts_error err = {0};
  struct tessera_tile asked;
  ts_handle_hand_over(NULL, reply);
  const struct ts_item_source *source = take(tile, &asked, &err) ? find_source(&project->project, &asked, &err) : NULL;
  const struct ts_region region = {
      .x = asked.x, .y = asked.y, .width = asked.width, .height = asked.height, .level = asked.level};
  struct ts_data *data = source ? ts_source_read_image(source, &region, &err) : NULL;
  if (data) return ts_handle_product_create(data);
  ts_handle_refuse_error(&err, reply);
  return NULL;
}
