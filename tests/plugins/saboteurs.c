/* A plugin with an operation that leaves thread or process in another state than it found it, and others that would
 * notice.
 * SPDX-License-Identifier: Apache-2.0
 *
 * SABOTEUR=KIND: each call of sab.disturb does its work and then what KIND says. SABOTEUR_ONCE=FILE: only the call that
 * makes the file, of all processes. The environment is no part of a key, so the store of a disturbed run can be used
 * again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept */
#endif
#include "tessera_op.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define DISTURBED_US 3000 /* how long a change is there before the call ends, so that others run meanwhile */

/* ---- sab.disturb ---- */

static void set_rounding(void) { fesetround(FE_UPWARD); }

static void flush_small_numbers(void) {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

static void set_traps(void) { feenableexcept(FE_DIVBYZERO | FE_INVALID); }

static void block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static locale_t narrow, wide;

static void make_locales(void) {
  narrow = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  wide = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
}

__attribute__((destructor)) static void free_locales(void) {
  if (narrow) freelocale(narrow);
  if (wide) freelocale(wide);
}

/* Whichever it is not. */
static void use_locale(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_locales);
  uselocale(MB_CUR_MAX == 1 ? wide : narrow);
}

static void change_folder(void) {
  if (chdir("/") != 0) abort();
}

static void set_variable(void) { setenv("SAB_TOKEN", "999", 1); }

static void put_variable(void) {
  static char variable[] = "SAB_TOKEN=888";
  putenv(variable);
}

static void set_locale(void) {
  if (!setlocale(LC_ALL, "C") || !setlocale(LC_NUMERIC, "C.UTF-8")) abort();
}

static void end_by_exit(void) { exit(0); }
static void end_by_underscore(void) { _exit(0); }
static void end_by_abort(void) { abort(); }
static void end_thread(void) { pthread_exit(NULL); }
static void end_quickly(void) { quick_exit(0); }

static void *exit_here(void *unused) {
  exit(0);
  return unused;
}

static void exit_elsewhere(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, exit_here, NULL) == 0) pthread_join(thread, NULL);
}

static const struct {
  const char *kind;
  void (*act)(void);
} saboteurs[] = {{"rounding", set_rounding},   {"flush", flush_small_numbers}, {"traps", set_traps},
                 {"signals", block_signals},   {"uselocale", use_locale},      {"folder", change_folder},
                 {"setenv", set_variable},     {"putenv", put_variable},       {"setlocale", set_locale},
                 {"exit", end_by_exit},        {"_exit", end_by_underscore},   {"abort", end_by_abort},
                 {"pthread_exit", end_thread}, {"quick_exit", end_quickly},    {"exit-elsewhere", exit_elsewhere}};

/* True for the first one to ask, in whatever process. */
static int is_first(const char *path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static void sabotage(void) {
  const char *kind = getenv("SABOTEUR"), *once = getenv("SABOTEUR_ONCE");
  if (!kind || (once && !is_first(once))) return;
  for (size_t i = 0; i < sizeof saboteurs / sizeof *saboteurs; i++)
    if (strcmp(saboteurs[i].kind, kind) == 0) saboteurs[i].act();
  usleep(DISTURBED_US);
}

static int disturb(struct ts_op_call *call) {
  const struct ts_op_view *table = call->inputs[0];
  double *out = call->host->output_table(call, 0, table->rows, table->columns, table->names);
  if (!out) return -1;
  for (size_t i = 0; i < table->rows * table->columns; i++) out[i] = call->parameters[0]->real + table->cells[i];
  sabotage();
  return 0;
}

/* ---- sab.measure: a number that is another one wherever the state of thread or process differs. ---- */

static double blocked_signals(void) {
  sigset_t mask;
  int count = 0;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  for (int i = 1; i < SIGRTMIN; i++) count += sigismember(&mask, i) == 1;
  return count;
}

/* By a relative name. */
static double number_in_file(void) {
  double number = -1;
  FILE *file = fopen("token.txt", "r");
  if (!file) return number;
  if (fscanf(file, "%lf", &number) != 1) number = -2;
  fclose(file);
  return number;
}

static double measured(double weight) {
  static volatile double tiny = 1e-310, zero = 0, one = 1;
  double sum = 0;
  for (volatile double i = 3; i < 400; i += 1) sum += weight / i; /* rounding */
  sum += tiny * one > 0 ? 1000 : 0;                               /* small numbers are kept */
  sum += isinf(one / zero) ? 2000 : 0;                            /* nothing is trapped */
  sum += 4000 * blocked_signals();
  sum += (double)MB_CUR_MAX * 1e6 + (strcmp(localeconv()->decimal_point, ".") == 0 ? 0 : 1e5);
  const char *token = getenv("SAB_TOKEN");
  return sum + 1e8 * (token ? strtod(token, NULL) : -1) + 1e12 * number_in_file();
}

static int measure(struct ts_op_call *call) {
  static const char *const names[] = {"score"};
  const struct ts_op_view *table = call->inputs[0];
  double *out = call->host->output_table(call, 0, 1, 1, names);
  if (!out) return -1;
  usleep(500); /* so that calls overlap */
  out[0] = measured(call->parameters[0]->real + table->cells[0]);
  return 0;
}

static const struct ts_op_port *const ports[] = {TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_parameter *const shift[] = {TS_OP_PARAMETER("shift", TS_OP_REAL, 0, 100, NULL, "", NULL)};
static const struct ts_op_parameter *const weight[] = {TS_OP_PARAMETER("weight", TS_OP_REAL, 0, 100, NULL, "", NULL)};

#define COMMON                                                                                                         \
  TS_OP_DESCRIPTOR_HEAD, .version = 1, .inputs = ports, .input_count = 1, .outputs = ports, .output_count = 1,         \
                         .parameter_count = 1
static const struct ts_op_descriptor disturb_operation = {COMMON, .name = "sab.disturb", .parameters = shift,
                                                          .run = disturb};
static const struct ts_op_descriptor measure_operation = {COMMON, .name = "sab.measure", .parameters = weight,
                                                          .run = measure};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&disturb_operation, &measure_operation};
  *count = sizeof operations / sizeof *operations;
  return host_api == TESSERA_OP_API ? operations : NULL;
}
