/* CPU quotas read from control groups of both versions, laid out in a scratch folder; and the affinity.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/machine/cpu_count_int.h"
#include "base/pool.h"

#include <sched.h>

static char root[64];

static int setup(void **state) {
  (void)state;
  scratch_create(root);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  scratch_remove(root);
  return 0;
}

static void lay(const char *name, const char *text) {
  ts_auto_free char *path = ts_path_join(root, name);
  ts_auto_free char *folder = ts_path_folder(path);
  assert_true(ts_folder_create(folder, NULL));
  assert_true(ts_file_write(path, text, strlen(text), NULL));
}

static size_t quota(void) {
  ts_auto_free char *membership = ts_path_join(root, "membership");
  ts_auto_free char *mount = ts_path_join(root, "mount");
  return ts_cpu_quota(membership, mount);
}

static void no_group_no_quota(void **state) {
  (void)state;
  assert_int_equal(quota(), 0);
  lay("membership", "nonsense\n\n::\n0:\n");
  assert_int_equal(quota(), 0);
  lay("membership", "0::/a/b\n");
  assert_int_equal(quota(), 0);
}

static void version_2(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t cpus;
  } cases[] = {
      {"max 100000\n", 0},  {"200000 100000\n", 2}, {"150000 100000\n", 2}, {"50000 100000\n", 1}, {"1 100000\n", 1},
      {"100000 100000", 1}, {"0 100000\n", 0},      {"100000\n", 0},        {"100000 0\n", 0},     {"", 0},
      {"-1 100000\n", 0},   {"1600000 50000\n", 32}};
  lay("membership", "0::/\n");
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    lay("mount/cpu.max", cases[i].text);
    assert_int_equal(quota(), cases[i].cpus);
  }
}

static void the_tightest_group_binds(void **state) {
  (void)state;
  lay("membership", "0::/a/b/c\n");
  lay("mount/a/b/c/cpu.max", "800000 100000\n");
  assert_int_equal(quota(), 8);
  lay("mount/a/cpu.max", "300000 100000\n");
  assert_int_equal(quota(), 3);
  lay("mount/a/b/cpu.max", "max 100000\n");
  assert_int_equal(quota(), 3);
  lay("mount/cpu.max", "200000 100000\n");
  assert_int_equal(quota(), 2);
  lay("mount/d/cpu.max", "100000 100000\n"); /* another group */
  assert_int_equal(quota(), 2);
}

static void version_1(void **state) {
  (void)state;
  lay("membership", "9:name=systemd:/x\n5:cpuset,cpuacct:/x\n4:cpuacct,cpu:/job\n0::/\n");
  lay("mount/cpu/job/cpu.cfs_quota_us", "-1\n");
  lay("mount/cpu/job/cpu.cfs_period_us", "100000\n");
  assert_int_equal(quota(), 0);
  lay("mount/cpu/job/cpu.cfs_quota_us", "250000\n");
  assert_int_equal(quota(), 3);
  lay("mount/cpu/x/cpu.cfs_quota_us", "100000\n"); /* not this process's */
  lay("mount/cpu/x/cpu.cfs_period_us", "100000\n");
  assert_int_equal(quota(), 3);
}

static void version_1_without_the_link(void **state) {
  (void)state;
  lay("membership", "4:cpu,cpuacct:/job\n");
  lay("mount/cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  lay("mount/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  assert_int_equal(quota(), 4);
}

static void the_affinity_binds(void **state) {
  (void)state;
  cpu_set_t before;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  size_t narrow = ts_cpu_count();
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  assert_int_equal(narrow, 1);
  assert_true(ts_cpu_count() >= 1 && ts_cpu_count() <= (size_t)CPU_COUNT(&before));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_group_no_quota, setup, teardown),
      cmocka_unit_test_setup_teardown(version_2, setup, teardown),
      cmocka_unit_test_setup_teardown(the_tightest_group_binds, setup, teardown),
      cmocka_unit_test_setup_teardown(version_1, setup, teardown),
      cmocka_unit_test_setup_teardown(version_1_without_the_link, setup, teardown),
      cmocka_unit_test(the_affinity_binds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
