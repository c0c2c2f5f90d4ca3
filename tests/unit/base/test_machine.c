/* The class of a machine from texts of several systems.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/machine/machine.h"

#include <string.h>

static void assert_class(const char *cpuinfo, size_t cpus, const char *wanted) {
  char text[TS_MACHINE_CLASS_SIZE];
  ts_machine_class_from(cpuinfo, "riscv64", cpus, text);
  assert_string_equal(text, wanted);
}

static void processors_are_named(void **state) {
  (void)state;
  assert_class("processor\t: 0\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz\n", 24,
               "Intel Xeon CPU E5-2680 v3, 24 CPUs");
  assert_class("model name : AMD EPYC\n", 1, "AMD EPYC, 1 CPU");
  assert_class("processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 5\n", 4, "Raspberry Pi 5, 4 CPUs");
  assert_class("processor\t: 0\n", 2, "riscv64, 2 CPUs");
  assert_class("", 2, "riscv64, 2 CPUs");
  assert_class("model name\t:\n", 2, "riscv64, 2 CPUs");
}

static void long_names_are_cut(void **state) {
  (void)state;
  char cpuinfo[1000] = "model name : ";
  char text[TS_MACHINE_CLASS_SIZE];
  memset(cpuinfo + 13, 'x', 900);
  ts_machine_class_from(cpuinfo, "", 4096, text);
  assert_true(strlen(text) < 100);
  assert_non_null(strstr(text, "x, 4096 CPUs"));
}

static void this_machine_has_a_class(void **state) {
  (void)state;
  assert_non_null(strstr(ts_machine_class(), "CPU"));
  assert_ptr_equal(ts_machine_class(), ts_machine_class());
}

/* Digests as sha256sum gives them, of "tessera machine id 0123abcd" and "tessera machine name north". */
static void machines_are_told_apart(void **state) {
  (void)state;
  char text[TS_MACHINE_ID_SIZE];
  ts_machine_id_from("0123abcd", "north", text);
  assert_string_equal(text, "c0cae9d7401933b2165ef8f960226638");
  ts_machine_id_from("", "north", text);
  assert_string_equal(text, "06afcac3b2d01f15b0c551d9186aaf52");
  assert_int_equal(strlen(ts_machine_id()), TS_MACHINE_ID_SIZE - 1);
  assert_ptr_equal(ts_machine_id(), ts_machine_id());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processors_are_named),
      cmocka_unit_test(long_names_are_cut),
      cmocka_unit_test(this_machine_has_a_class),
      cmocka_unit_test(machines_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
