/* The segmentation against masks of the original program: 18 parameter sets, intermediates, background, normalisation.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: slow
 * test-label: threads-elsewhere (unit.kernels.threads)
 * test-timeout: 300
 *
 * All under every variant of the kernels, alone and with threads. The vectors lie in the shared folder; without it the
 * test is skipped. Each result is also printed as a hash, so that builds with other compiler flags can be compared:
 * their lines must be equal. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vips/vips.h>

#include <cmocka.h>

#include "base/const.h"
#include "kernels/nuclei.h"
#include "unit/kernels/each_variant.h"

struct picture {
  uint8_t *pixels; /* owned by libvips */
  int64_t width;
  int64_t height;
  int bands;
};

static const char *shared; /* the folder */
static json_t *expected;
static struct picture images[2];
static const char *const image_names[2] = {"tia", "svs"};

static void stop(const char *what, const char *name) {
  fprintf(stderr, "%s '%s': %s\n", what, name, vips_error_buffer());
  exit(1);
}

/* Reads a rectangle of an image file, or all of it if width is 0; an alpha channel is dropped. */
static struct picture read_picture(const char *name, int x, int y, int width, int height) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", shared, name);
  VipsImage *file = vips_image_new_from_file(path, NULL);
  VipsImage *part = NULL;
  VipsImage *plain = NULL;
  if (!file) stop("cannot open", path);
  if (width == 0) {
    width = vips_image_get_width(file);
    height = vips_image_get_height(file);
  }
  int bands = vips_image_get_bands(file) >= 3 ? 3 : 1;
  if (vips_crop(file, &part, x, y, width, height, NULL) || vips_extract_band(part, &plain, 0, "n", bands, NULL))
    stop("cannot crop", path);
  size_t size;
  struct picture picture = {.width = width, .height = height, .bands = bands};
  picture.pixels = vips_image_write_to_memory(plain, &size);
  if (!picture.pixels || size != (size_t)width * (size_t)height * (size_t)bands) stop("cannot read", path);
  g_object_unref(plain);
  g_object_unref(part);
  g_object_unref(file);
  return picture;
}

static struct picture read_vector(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "vectors/nuclei/%s", name);
  return read_picture(path, 0, 0, 0, 0);
}

static uint64_t hash_of(const uint8_t *bytes, int64_t count) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int64_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static void print_hash(const char *name, const uint8_t *bytes, int64_t count) {
  uint64_t hash = hash_of(bytes, count);
  printf("hash %-24s %016llx\n", name, (unsigned long long)hash);
}

static int64_t count_different(const uint8_t *a, const uint8_t *b, int64_t count) {
  int64_t different = 0;
  for (int64_t i = 0; i < count; i++) different += a[i] != b[i];
  return different;
}

/* ---- The seven tasks in a row ---- */

struct params {
  struct ts_nuclei_red_cells_params red_cells;
  int g1, g2, min_size, max_size, min_size_pl, min_size_seg, max_size_seg, fh, rc, wc;
};

enum plane { RBC, RC, RC_OPEN, RECON, DIFF, BW1, BW1_T, SEG_OPEN, SEG_NONOVERLAP, MASK, PLANES };

struct results {
  uint8_t *plane[PLANES]; /* owned */
  enum ts_nuclei_status status;
  double cpu_s[7];
};

static struct params params_from(const json_t *json) {
  struct params p;
  int ok = json_unpack(ts_without_const(json), "{s:i,s:i,s:i,s:F,s:F,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "B",
                       &p.red_cells.blue, "G", &p.red_cells.green, "R", &p.red_cells.red, "T1", &p.red_cells.t1, "T2",
                       &p.red_cells.t2, "G1", &p.g1, "G2", &p.g2, "minSize", &p.min_size, "maxSize", &p.max_size,
                       "minSizePl", &p.min_size_pl, "minSizeSeg", &p.min_size_seg, "maxSizeSeg", &p.max_size_seg, "FH",
                       &p.fh, "RC", &p.rc, "WC", &p.wc);
  assert_int_equal(ok, 0);
  return p;
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void results_release(struct results *r) {
  for (int i = 0; i < PLANES; i++) free(r->plane[i]);
}

static struct results segment(struct picture image, const struct params *p) {
  struct results r;
  int64_t w = image.width;
  int64_t h = image.height;
  for (int i = 0; i < PLANES; i++) {
    r.plane[i] = malloc((size_t)(w * h));
    memset(r.plane[i], 0x55, (size_t)(w * h)); /* nothing may rely on fresh planes, and touching them is not timed */
  }
  uint8_t **q = r.plane;
  double clock[8];
  clock[0] = cpu_seconds();
  assert_true(ts_nuclei_red_cells(image.pixels, w, h, &p->red_cells, q[RBC], &r.status, threads, NULL));
  clock[1] = cpu_seconds();
  assert_true(ts_nuclei_background(image.pixels, w, h, p->rc, q[RC], q[RC_OPEN], q[RECON], threads, NULL));
  clock[2] = cpu_seconds();
  assert_true(ts_nuclei_candidates(q[RC], q[RECON], w, h, p->fh, p->g1, q[DIFF], q[BW1], threads, NULL));
  clock[3] = cpu_seconds();
  assert_true(ts_nuclei_candidate_size(q[BW1], w, h, p->min_size, p->max_size, q[BW1_T], threads, NULL));
  clock[4] = cpu_seconds();
  assert_true(ts_nuclei_refine(q[DIFF], q[BW1_T], q[RBC], w, h, p->g2, q[SEG_OPEN], threads, NULL));
  clock[5] = cpu_seconds();
  assert_true(
      ts_nuclei_split(image.pixels, q[SEG_OPEN], w, h, p->min_size_pl, p->wc, q[SEG_NONOVERLAP], threads, NULL, NULL));
  clock[6] = cpu_seconds();
  assert_true(
      ts_nuclei_final_size(q[SEG_NONOVERLAP], w, h, p->min_size_seg, p->max_size_seg, p->fh, q[MASK], threads, NULL));
  clock[7] = cpu_seconds();
  for (int i = 0; i < 7; i++) r.cpu_s[i] = clock[i + 1] - clock[i];
  return r;
}

/* ---- Tests ---- */

static struct picture image_named(const char *name) {
  for (int i = 0; i < 2; i++)
    if (strcmp(name, image_names[i]) == 0) return images[i];
  fail_msg("no image '%s'", name);
  return images[0];
}

static void test_masks(void **state) {
  (void)state;
  json_t *cases = json_object_get(expected, "cases");
  assert_int_equal(json_array_size(cases), 18);
  size_t i;
  json_t *item;
  json_array_foreach(cases, i, item) {
    const char *mask_name = json_string_value(json_object_get(item, "mask"));
    struct picture image = image_named(json_string_value(json_object_get(item, "image")));
    struct params params = params_from(json_object_get(item, "params"));
    struct results r = segment(image, &params);
    struct picture mask = read_vector(mask_name);
    print_hash(mask_name, r.plane[MASK], image.width * image.height);
    assert_int_equal(count_different(r.plane[MASK], mask.pixels, image.width * image.height), 0);
    int64_t foreground = 0;
    for (int64_t k = 0; k < image.width * image.height; k++) foreground += r.plane[MASK][k] == 255;
    assert_int_equal(foreground, json_integer_value(json_object_get(item, "foreground")));
    g_free(mask.pixels);
    results_release(&r);
  }
}

static struct params default_params(void) {
  return params_from(json_object_get(json_array_get(json_object_get(expected, "cases"), 0), "params"));
}

static void print_times(const char *image, const struct results *r) {
  static const char *const names[7] = {"red_cells", "background", "candidates", "candidate_size",
                                       "refine",    "split",      "final_size"};
  double total = 0;
  for (int i = 0; i < 7; i++) {
    printf("time %s %-14s %7.2f ms\n", image, names[i], r->cpu_s[i] * 1e3);
    total += r->cpu_s[i];
  }
  printf("time %s %-14s %7.2f ms\n", image, "all", total * 1e3);
}

static void test_intermediates(void **state) {
  (void)state;
  static const struct {
    enum plane plane;
    const char *suffix;
  } known[] = {{RBC, "1_rbc"},
               {RC_OPEN, "2_rc_open"},
               {DIFF, "3_diffIm"},
               {BW1, "3_bw1"},
               {BW1_T, "4_bw1_t"},
               {SEG_OPEN, "5_seg_open"},
               {SEG_NONOVERLAP, "6_seg_nonoverlap"}};
  struct params params = default_params();
  for (int i = 0; i < 2; i++) {
    struct results r = segment(images[i], &params);
    assert_int_equal(r.status, TS_NUCLEI_TISSUE);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
      char name[64];
      snprintf(name, sizeof name, "%s_0_%s.png", image_names[i], known[k].suffix);
      struct picture want = read_vector(name);
      int64_t pixels = images[i].width * images[i].height;
      print_hash(name, r.plane[known[k].plane], pixels);
      assert_int_equal(count_different(r.plane[known[k].plane], want.pixels, pixels), 0);
      g_free(want.pixels);
    }
    print_times(image_names[i], &r);
    results_release(&r);
  }
}

static int64_t count_bright(struct picture image) {
  int64_t bright = 0;
  for (int64_t i = 0; i < image.width * image.height; i++)
    bright += image.pixels[3 * i] > 220 && image.pixels[3 * i + 1] > 220 && image.pixels[3 * i + 2] > 220;
  return bright;
}

static void test_background(void **state) {
  (void)state;
  json_t *cases = json_object_get(json_object_get(expected, "background"), "cases");
  assert_int_equal(json_array_size(cases), 3);
  struct params params = default_params();
  size_t i;
  json_t *item;
  json_array_foreach(cases, i, item) {
    int rect[4];
    const char *status;
    assert_int_equal(
        json_unpack(item, "{s:[i,i,i,i],s:s}", "rect", &rect[0], &rect[1], &rect[2], &rect[3], "status", &status), 0);
    struct picture image =
        read_picture("data/histology/aperio/CMU-1-Small-Region.svs", rect[0], rect[1], rect[2], rect[3]);
    double share = (double)count_bright(image) / (double)(image.width * image.height);
    double given = json_real_value(json_object_get(item, "share"));
    assert_true(share > given - 1e-4 && share < given + 1e-4);
    struct results r = segment(image, &params);
    const char *got = r.status == TS_NUCLEI_BACKGROUND          ? "BACKGROUND"
                      : r.status == TS_NUCLEI_BACKGROUND_LIKELY ? "BACKGROUND_LIKELY"
                                                                : "tissue";
    assert_string_equal(got, status);
    int64_t foreground = 0;
    for (int64_t k = 0; k < image.width * image.height; k++) foreground += r.plane[MASK][k] != 0;
    if (r.status == TS_NUCLEI_TISSUE) {
      assert_true(foreground > 0);
    } else {
      assert_int_equal(foreground, 0);
    }
    results_release(&r);
    g_free(image.pixels);
  }
}

static void test_normalised(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s_normalised.png", image_names[i]);
    struct picture want = read_vector(name);
    int64_t bytes = images[i].width * images[i].height * 3;
    uint8_t *got = malloc((size_t)bytes);
    double start = cpu_seconds();
    assert_true(ts_nuclei_normalise(images[i].pixels, images[i].width, images[i].height, &ts_nuclei_default_target,
                                    NULL, got, threads, NULL));
    printf("time %s %-14s %7.2f ms\n", image_names[i], "normalise", (cpu_seconds() - start) * 1e3);
    int64_t different = 0;
    int largest = 0;
    for (int64_t k = 0; k < bytes; k++) {
      int d = abs(got[k] - want.pixels[k]);
      different += d != 0;
      if (d > largest) largest = d;
    }
    print_hash(name, got, bytes);
    static uint64_t first_hash[2]; /* of the first variant: all others must give the same bits */
    if (first_hash[i] == 0) first_hash[i] = hash_of(got, bytes);
    assert_true(hash_of(got, bytes) == first_hash[i]);
    printf("%s: %lld of %lld bytes differ, by at most %d\n", name, (long long)different, (long long)bytes, largest);
    assert_true(different * 1000 <= bytes);
    assert_true(largest <= 1);
    free(got);
    g_free(want.pixels);
  }
}

static int skip_all(const char *why) {
  const char *ci = getenv("CI");
  printf("SKIP: %s\n", why);
  /* Where the data should be, a skip would hide that nothing was tested. */
  return ci && strcmp(ci, "true") == 0 && shared ? 1 : 77;
}

int main(int argc, char **argv) {
  (void)argc;
  shared = getenv("TESSERA_SHARED");
  if (!shared) return skip_all("TESSERA_SHARED is not set");
  char path[4096];
  snprintf(path, sizeof path, "%s/vectors/nuclei/expected.json", shared);
  expected = json_load_file(path, 0, NULL);
  if (!expected) return skip_all("the shared folder has no vectors/nuclei/expected.json");
  if (VIPS_INIT(argv[0])) stop("cannot start", "libvips");
  images[0] = read_picture("data/histology/tiatoolbox/target_image.png", 0, 0, 0, 0);
  images[1] = read_picture("data/histology/aperio/CMU-1-Small-Region.svs", 600, 900, 1024, 1024);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_masks),
      cmocka_unit_test(test_intermediates),
      cmocka_unit_test(test_background),
      cmocka_unit_test(test_normalised),
  };
  int failed = RUN_FOR_EACH_VARIANT(tests);
  for (int i = 0; i < 2; i++) g_free(images[i].pixels);
  json_decref(expected);
  vips_shutdown();
  return failed;
}
