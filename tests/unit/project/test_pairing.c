/* Which files are truths of which images, by their names alone: cases written down by hand.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "project/data/pairing.h"

#define FILES 5
#define NOT   SIZE_MAX

static const struct {
  struct ts_truth_pattern pattern;
  const char *names[FILES];
  const char *in_truths; /* a 't' per file in a folder of truths */
  bool is_truth[FILES];
  size_t image[FILES], truth[FILES];
} cases[] = {
    {.names = {"d/a.png", "d/a_labels.png"},
     .in_truths = "--",
     .is_truth = {0, 1},
     .image = {NOT, 0},
     .truth = {1, NOT}},
    {.names = {"a.svs", "a-Mask.tif"}, .in_truths = "--", .is_truth = {0, 1}, .image = {NOT, 0}, .truth = {1, NOT}},
    {.names = {"a.ome.tif", "a.truth.png"},
     .in_truths = "--",
     .is_truth = {0, 1},
     .image = {NOT, 0},
     .truth = {1, NOT}},
    {.names = {"a.png", "a.geojson"}, .in_truths = "--", .is_truth = {0, 1}, .image = {NOT, 0}, .truth = {1, NOT}},
    {.names = {"i/a.png", "masks/a.png"}, .in_truths = "-t", .is_truth = {0, 1}, .image = {NOT, 0}, .truth = {1, NOT}},
    {.names = {"i/a.png", "masks/b.png"},
     .in_truths = "-t",
     .is_truth = {0, 1},
     .image = {NOT, NOT},
     .truth = {NOT, NOT}},
    /* There is no image 'my': the name is that of an image. */
    {.names = {"a.png", "my_mask.png"}, .in_truths = "--", .image = {NOT, NOT}, .truth = {NOT, NOT}},
    {.names = {"a.png", "unmask.png"}, .in_truths = "--", .image = {NOT, NOT}, .truth = {NOT, NOT}},
    /* Two for one image. */
    {.names = {"a.png", "a_gt.png", "a_mask.png"},
     .in_truths = "---",
     .is_truth = {0, 1, 1},
     .image = {NOT, 0, 0},
     .truth = {NOT, NOT, NOT}},
    {.pattern = {.name = "*_gt.png"},
     .names = {"a.png", "a_gt.png", "a_mask.png"},
     .in_truths = "---",
     .is_truth = {0, 1, 0},
     .image = {NOT, 0, NOT},
     .truth = {1, NOT, NOT}},
    {.pattern = {.name = "gt_*.tif"},
     .names = {"a.png", "gt_a.tif", "a.geojson"},
     .in_truths = "---",
     .is_truth = {0, 1, 1},
     .image = {NOT, 0, NOT},
     .truth = {1, NOT, NOT}},
    /* Of a folder alone: the images have names that fit too. */
    {.pattern = {.name = "*.png", .only_in_truths = true},
     .names = {"i/a.png", "t/a.png"},
     .in_truths = "-t",
     .is_truth = {0, 1},
     .image = {NOT, 0},
     .truth = {1, NOT}},
    {.pattern = {.name = "truth.png"},
     .names = {"truth.tif", "truth.png"},
     .in_truths = "--",
     .is_truth = {0, 1},
     .image = {NOT, 0},
     .truth = {1, NOT}},
};

static void names_decide(void **state) {
  (void)state;
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    struct ts_arena arena = {0};
    struct ts_paired_file files[FILES] = {{0}};
    const size_t count = strlen(cases[c].in_truths);
    for (size_t i = 0; i < count; i++) {
      files[i].path = cases[c].names[i];
      files[i].in_truths = cases[c].in_truths[i] == 't';
    }
    ts_pair_files(&arena, files, count, &cases[c].pattern);
    for (size_t i = 0; i < count; i++) {
      if (files[i].is_truth != cases[c].is_truth[i] || files[i].image != cases[c].image[i] ||
          files[i].truth != cases[c].truth[i])
        fail_msg("case %zu, %s: truth %d, image %zd, has %zd", c, files[i].path, files[i].is_truth,
                 (ssize_t)files[i].image, (ssize_t)files[i].truth);
    }
    ts_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_decide)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
