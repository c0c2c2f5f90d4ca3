/* Datasets for tests of the engine: images that exist by name only, cut into tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_TOY_DATA_H
#define TS_TESTS_SUPPORT_TOY_DATA_H

#include "run/run.h"
#include "support/toy_case.h"

struct toy_image {
  const char *name; /* two images of one name have the same content */
  int64_t width, height;
};

struct toy_dataset {
  struct ts_arena arena; /* owns all arrays */
  struct ts_dataset dataset;
};

/* One item per image, with a file for every supplied input. tile_px 0: one tile per image. */
void toy_dataset_init(struct toy_dataset *data, const struct toy_case *toy, const struct toy_image *images,
                      size_t count, int64_t tile_px, int64_t halo_px);
/* One to three small images; twins: two of them may be equal. The halo is 0 unless the case crops it. */
void toy_dataset_draw(struct toy_dataset *data, const struct toy_case *toy, bool twins, uint64_t seed);
void toy_dataset_release(struct toy_dataset *data);

size_t toy_units(const struct ts_dataset *dataset, enum ts_scope scope);
/* Same type, place, names and bytes. */
bool toy_same_data(const struct ts_data *a, const struct ts_data *b);

#endif
