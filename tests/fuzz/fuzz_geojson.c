/* Fuzz target: a GeoJSON file of polygons; what is read is drawn as a whole and in tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "image/polygons.h"

#include <stdlib.h>
#include <string.h>

#define EDGE_PX 48

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

/* Tiles have the pixels of the whole. */
static void compare_tiles(const struct ts_polygons *polygons) {
  static uint32_t whole[EDGE_PX * EDGE_PX], tile[EDGE_PX * EDGE_PX];
  const struct ts_type *labels = ts_type_find("labels");
  const struct ts_polygon_frame all = {{.width = EDGE_PX, .height = EDGE_PX}, 1.5, 1.25};
  ts_polygons_draw(polygons, labels, &all, whole);
  for (int64_t x = 0; x < EDGE_PX; x += EDGE_PX / 3) {
    const struct ts_polygon_frame part = {
        {.x = x, .y = EDGE_PX / 4, .width = EDGE_PX / 3, .height = EDGE_PX / 2}, 1.5, 1.25};
    ts_polygons_draw(polygons, labels, &part, tile);
    for (int64_t y = 0; y < part.region.height; y++) {
      if (memcmp(tile + y * part.region.width, whole + (y + part.region.y) * EDGE_PX + x,
                 (size_t)part.region.width * sizeof *tile) != 0)
        abort();
    }
  }
  if (ts_polygons_outside(polygons, &all) > ts_polygons_count(polygons)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_faults faults = {0};
  struct ts_polygons *polygons = ts_polygons_parse("a.geojson", (const char *)data, size, &faults);
  if ((polygons == NULL) != (faults.count > 0)) abort();
  if (polygons) compare_tiles(polygons);
  for (size_t i = 0; i < faults.count; i++) fuzz_check_error(&faults.items[i]);
  ts_polygons_unref(polygons);
  ts_faults_release(&faults);
  return 0;
}
