/* Tests of design/sobol.c and design/halton.c against points computed by other programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

#include "support/vectors.h"

static const char *shared;

/* Compares every number of a vector file, to the last bit. */
static void equals_file(const char *source, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/vectors/sensitivity/%s", shared, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char line[4096];
  assert_non_null(fgets(line, sizeof line, file));
  double points[64 * 8];
  fill(source, 8, 0, 64, &(struct ts_sample_options){.scramble = TS_SCRAMBLE_NONE}, points);
  for (size_t row = 0; row < 64; row++) {
    assert_non_null(fgets(line, sizeof line, file));
    char *cell = line;
    for (size_t column = 0; column < 8; column++) {
      double expected = strtod(cell, &cell);
      if (*cell == ',') cell++;
      if (points[row * 8 + column] != expected) {
        fail_msg("%s: row %zu, column %zu: %.17g instead of %.17g", name, row, column, points[row * 8 + column],
                 expected);
      }
    }
  }
  assert_null(fgets(line, sizeof line, file));
  fclose(file);
}

static void sobol_points_are_those_of_scipy(void **state) {
  (void)state;
  equals_file("sobol-sequence", "sobol_seq_d8_n64.csv");
}

static void halton_points_are_those_of_scipy(void **state) {
  (void)state;
  equals_file("halton", "halton_seq_d8_n64.csv");
}

int main(void) {
  shared = vectors_parent("sensitivity");
  if (!shared) {
    printf("SKIP: there is no ../shared/vectors/sensitivity\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sobol_points_are_those_of_scipy),
      cmocka_unit_test(halton_points_are_those_of_scipy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
