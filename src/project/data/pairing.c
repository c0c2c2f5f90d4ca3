/* Which files of a list show the truth of which images, by their names alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/pairing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define POLYGONS ".geojson"

static const char *const truth_words[] = {"labels", "label", "masks",       "mask",        "truth",
                                          "gt",     "seg",   "groundtruth", "ground_truth"};
static const char *const truth_folders[] = {"masks",  "mask", "labels",       "label",       "truth",
                                            "truths", "gt",   "ground_truth", "groundtruth", "annotations"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

bool ts_is_truth_folder(const char *name) {
  for (size_t i = 0; i < COUNT(truth_folders); i++)
    if (ts_word_equal(name, truth_folders[i])) return true;
  return false;
}

/* The name without its folder and its endings: "a/slide.ome.tif" -> "slide". */
static char *stem_of(const char *path) {
  char *stem = ts_path_stem(path);
  const size_t length = strlen(stem);
  if (length > 4 && ts_word_equal(stem + length - 4, ".ome")) stem[length - 4] = '\0';
  return stem;
}

/* Bytes of the stem in front of an ending such as "_labels"; 0: it has none. */
static size_t bytes_before_word(const char *stem) {
  const size_t length = strlen(stem);
  for (size_t i = 0; i < COUNT(truth_words); i++) {
    const size_t word = strlen(truth_words[i]);
    if (length < word + 2 || !ts_word_equal(stem + length - word, truth_words[i])) continue;
    if (strchr("_-.", stem[length - word - 1])) return length - word - 1;
  }
  return 0;
}

/* The part of a name that the '*' of a pattern stands for; NULL: it does not fit. Without '*' that is the stem. */
static char *match(const char *pattern, const char *path) {
  const char *name = ts_path_name(path), *star = strchr(pattern, '*');
  if (!star) return strcmp(name, pattern) == 0 ? stem_of(path) : NULL;
  const size_t before = (size_t)(star - pattern), after = strlen(star + 1), length = strlen(name);
  if (length <= before + after || strncmp(name, pattern, before) != 0) return NULL;
  if (strcmp(name + length - after, star + 1) != 0) return NULL;
  return ts_strndup(name + before, length - before - after);
}

bool ts_truth_pattern_fits(const char *pattern, const char *path) {
  ts_auto_free char *part = match(pattern, path);
  return part != NULL;
}

static const char *keep(struct ts_arena *arena, char *text) {
  const char *kept = ts_arena_strdup(arena, text);
  free(text);
  return kept;
}

/* What the name of a file says about it, before images are known: a truth, or perhaps one. With a pattern, only what it
 * fits belongs to an image. */
static void read_name(struct ts_arena *arena, struct ts_paired_file *file, const struct ts_truth_pattern *pattern) {
  const bool is_usual = !pattern->name;
  char *part = NULL;
  if (is_usual)
    part = stem_of(file->path);
  else if (file->in_truths || !pattern->only_in_truths)
    part = match(pattern->name, file->path);
  if (is_usual && bytes_before_word(part) > 0) part[bytes_before_word(part)] = '\0';
  file->is_truth = (!is_usual && part) || file->in_truths || ts_str_ends_with(file->path, POLYGONS);
  file->image_stem = part ? keep(arena, part) : NULL;
}

/* Images in the order of their stems. */
struct index {
  const char *stem; /* in the arena */
  size_t file;
};

static int compare_stems(const void *a, const void *b) {
  const struct index *left = a, *right = b;
  const int order = strcmp(left->stem, right->stem);
  return order != 0 ? order : left->file < right->file ? -1 : left->file > right->file;
}

static size_t find_image(const struct index *images, size_t count, const char *stem) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(images[middle].stem, stem) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && strcmp(images[low].stem, stem) == 0 ? images[low].file : SIZE_MAX;
}

/* X_labels.png is a truth only where there is an X. */
static bool is_named_after(const struct index *images, size_t count, const struct ts_paired_file *file, size_t number) {
  ts_auto_free char *stem = stem_of(file->path);
  if (strcmp(stem, file->image_stem) == 0) return false;
  const size_t image = find_image(images, count, file->image_stem);
  return image != SIZE_MAX && image != number;
}

void ts_pair_files(struct ts_arena *arena, struct ts_paired_file *files, size_t count,
                   const struct ts_truth_pattern *pattern) {
  struct index *images = ts_calloc(count + 1, sizeof *images);
  size_t image_count = 0;
  for (size_t i = 0; i < count; i++) {
    read_name(arena, &files[i], pattern);
    files[i].image = files[i].truth = SIZE_MAX;
    files[i].truth_count = 0;
    if (!files[i].is_truth)
      images[image_count++] = (struct index){.stem = keep(arena, stem_of(files[i].path)), .file = i};
  }
  qsort(images, image_count, sizeof *images, compare_stems);
  for (size_t i = 0; i < count; i++) {
    if (!pattern->name && !files[i].is_truth) files[i].is_truth = is_named_after(images, image_count, &files[i], i);
    if (!files[i].is_truth) continue;
    if (files[i].image_stem) files[i].image = find_image(images, image_count, files[i].image_stem);
    if (files[i].image == SIZE_MAX) continue;
    struct ts_paired_file *image = &files[files[i].image];
    image->truth = image->truth_count++ == 0 ? i : SIZE_MAX;
  }
  free(images);
}
