/* The choice of a variant: by the processor, and by the environment variable.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

/* What a fresh process with TESSERA_KERNELS set so chooses, and what it says: "NAME\n" and the warning. */
static void choice_for(const char *setting, char *said, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    if (setting) {
      setenv("TESSERA_KERNELS", setting, 1);
    } else {
      unsetenv("TESSERA_KERNELS");
    }
    const char *name = ts_kernels_variant();
    dprintf(ends[1], "%s\n", name);
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t got;
  while ((got = read(ends[0], said + length, size - 1 - length)) > 0) length += (size_t)got;
  said[length] = 0;
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static const char *best_here(void) {
#if !defined(__x86_64__)
  return "scalar";
#else
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return "avx512";
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "avx2" : "scalar";
#endif
}

static void test_default_is_the_best(void **state) {
  (void)state;
  char said[512];
  char want[64];
  snprintf(want, sizeof want, "%s\n", best_here());
  choice_for(NULL, said, sizeof said);
  assert_string_equal(said, want);
  choice_for("", said, sizeof said);
  assert_string_equal(said, want);
}

static void test_a_variant_can_be_forced(void **state) {
  (void)state;
  char said[512];
  choice_for("scalar", said, sizeof said);
  assert_string_equal(said, "scalar\n");
  if (strcmp(best_here(), "scalar") == 0) return;
  choice_for("avx2", said, sizeof said);
  assert_string_equal(said, "avx2\n");
}

static void test_unknown_is_ignored_with_a_word(void **state) {
  (void)state;
  char said[512];
  choice_for("sse9", said, sizeof said);
  assert_non_null(strstr(said, "TESSERA_KERNELS='sse9' is ignored"));
  assert_non_null(strstr(said, "scalar, avx2 or avx512"));
  char want[64];
  snprintf(want, sizeof want, "\n%s\n", best_here());
  assert_non_null(strstr(said, want));
}

static void test_use(void **state) {
  (void)state;
  assert_true(ts_variant_use("scalar"));
  assert_string_equal(ts_kernels_variant(), "scalar");
  assert_true(ts_variant_use(best_here()));
  assert_string_equal(ts_kernels_variant(), best_here());
  assert_false(ts_variant_use("mmx"));
  assert_string_equal(ts_kernels_variant(), best_here());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_default_is_the_best), /* before anything is chosen in this process */
      cmocka_unit_test(test_a_variant_can_be_forced),
      cmocka_unit_test(test_unknown_is_ignored_with_a_word),
      cmocka_unit_test(test_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
