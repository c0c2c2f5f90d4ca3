/* Tests of the given-data methods with a million rows, in `make soak` ten million: they answer, and rightly.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The argument is the number of rows. What is allowed is for ten million; the error of fewer rows is larger as
 * 1/sqrt(rows).
 *
 * test-label: long
 * test-timeout: 300 */
#include "samples.h"

#include <sys/resource.h>
#include <time.h>

enum { FEW_ROWS = 1000000, ALL_ROWS = 10000000 };

static size_t rows = FEW_ROWS;

static double allowed(double with_all_rows) { return with_all_rows * sqrt((double)ALL_ROWS / (double)rows); }

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* y = x1 + x2^2 with x1, x2 uniform in (-1, 1): variances 1/3 and 4/45. */
static struct sample sample;

static struct ts_indices analyse(const char *method, const struct ts_analysis_options *options) {
  double start = cpu_seconds();
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, method, options);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  print_message("%s: %.1f s of CPU, peak %ld MB\n", method, cpu_seconds() - start, usage.ru_maxrss / 1024);
  return indices;
}

static void correlation_and_regression(void **state) {
  (void)state;
  double truth = sqrt(1. / 3 / (1. / 3 + 4. / 45));
  struct ts_indices indices = analyse("correlation", NULL);
  struct ts_index index = sample_index(&indices, 0, "pearson");
  close_to(index.value, truth, allowed(5e-4));
  assert_true(index.low < index.value && index.value < index.high && index.high - index.low < allowed(1e-3));
  close_to(sample_index(&indices, 1, "pcc").value, 0, allowed(2e-3));
  assert_int_equal(indices.usable[0], rows - 1);
  ts_indices_release(&indices);
  indices = analyse("regression", NULL);
  close_to(sample_index(&indices, 0, "src").value, truth, allowed(5e-4));
  close_to(sample_fact(&indices, "R2"), truth * truth, allowed(5e-4));
  ts_indices_release(&indices);
}

static void first_order_indices(void **state) {
  (void)state;
  double total = 1. / 3 + 4. / 45;
  static const char *const methods[] = {"given-data", "rbd-fast"};
  for (size_t m = 0; m < 2; m++) {
    struct ts_indices indices = analyse(methods[m], NULL);
    close_to(sample_index(&indices, 0, "S1").value, 1. / 3 / total, allowed(1e-3));
    close_to(sample_index(&indices, 1, "S1").value, 4. / 45 / total, allowed(1e-3));
    assert_true(sample_index(&indices, 0, "S1").high - sample_index(&indices, 0, "S1").low < allowed(4e-3));
    ts_indices_release(&indices);
  }
}

static void distributions(void **state) {
  (void)state;
  struct ts_indices indices = analyse("pawn", NULL);
  assert_true(sample_index(&indices, 0, "median").value > sample_index(&indices, 1, "median").value);
  assert_true(sample_index(&indices, 1, "minimum").value > 10 * sample_fact(&indices, "mean of an inert input"));
  ts_indices_release(&indices);
  struct ts_analysis_options few = {.resamples = 2};
  indices = analyse("delta", &few);
  assert_true(sample_index(&indices, 0, "delta").value > sample_index(&indices, 1, "delta").value);
  close_to(sample_index(&indices, 0, "S1").value, 1. / 3 / (1. / 3 + 4. / 45), allowed(2e-3));
  ts_indices_release(&indices);
}

int main(int argc, char **argv) {
  if (argc > 1) rows = (size_t)strtoul(argv[1], NULL, 10);
  sample = sample_create(2, rows);
  free(sample.unit);
  sample.unit = NULL;
  struct ts_random random;
  ts_random_init(&random, 1, 0);
  for (size_t i = 0; i < rows; i++) {
    double *x = sample.values + i * 2;
    x[0] = 2 * ts_random_unit(&random) - 1;
    x[1] = 2 * ts_random_unit(&random) - 1;
    sample.outputs[i] = i == 3 ? NAN : x[0] + x[1] * x[1];
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(correlation_and_regression),
      cmocka_unit_test(first_order_indices),
      cmocka_unit_test(distributions),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  sample_destroy(&sample);
  return failed;
}
