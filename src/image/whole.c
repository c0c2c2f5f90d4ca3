/* Images without random access: decoded whole, once, into memory or a temporary file that has no name.
 * SPDX-License-Identifier: Apache-2.0
 *
 * PNG, JPEG and TIFF in strips can only be decoded from top to bottom. libvips would do that behind our back, into a
 * file of its own that everybody may read and that outlives a killed process. Here the pixels are decoded in sequence
 * into a file that is private, nameless and booked (base/budget.h), and handed to libvips as a raw image: it maps the
 * rows it needs. Whether the budget allows it is known from the header. */
#include "image/open_int.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/order.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Decoded pixels of one image, and of all that are kept open, that stay in memory; small budgets allow a part of
 * themselves. */
#define MEMORY_BYTES (UINT64_C(100) << 20)
#define MEMORY_SHARE 8
#define ALL_BYTES    (UINT64_C(256) << 20)
#define ALL_SHARE    4
#define PIECE_SHARE  4 /* libtiff holds a tile, libvips copies of it for two rows of tiles */
#define WHOLE_KEY    "tessera-whole"

struct whole {
  pthread_mutex_t lock;      /* guards `pixels` and `booked_bytes`; held while they are made */
  char *path;                /* owned */
  struct ts_image_page page; /* which picture of the file */
  VipsImage *pixels;         /* owned; NULL: not decoded yet */
  uint64_t booked_bytes;     /* of the temporary file */
};

static uint64_t bytes_of(const struct ts_open_image *open) {
  return (uint64_t)open->info.width * (uint64_t)open->info.height * (uint64_t)VIPS_IMAGE_SIZEOF_PEL(open->image);
}

static bool stays_in_memory(const struct ts_open_image *open) {
  return bytes_of(open) <= ts_smaller_size(MEMORY_BYTES, ts_budget_memory_bytes() / MEMORY_SHARE);
}

int64_t ts_whole_memory_bytes(const struct ts_open_image *open) {
  return open->decoded_whole && stays_in_memory(open) ? (int64_t)bytes_of(open) : open->kept_bytes;
}

int64_t ts_whole_memory_bytes_max(void) {
  return (int64_t)ts_smaller_size(ALL_BYTES, ts_budget_memory_bytes() / ALL_SHARE);
}

/* ---- Budget ---- */

static bool refuse(const char *path, const struct ts_open_image *open, uint64_t bytes, const char *what,
                   const char *budget, uint64_t limit, struct ts_error *err) {
  char size[32], most[32];
  ts_fail(err, TS_ERR_IMAGE_TOO_LARGE, "'%s' has %lld x %lld pixels: %s %s, more than the %s of %s", path,
          (long long)open->info.width, (long long)open->info.height, what, ts_format_bytes(bytes, size),
          ts_format_bytes(limit, most), budget);
  ts_error_help(
      err,
      "convert it to a tiled TIFF (vips tiffsave IN OUT.tif --tile --pyramid --compression deflate), or allow "
      "more with %s SIZE",
      budget);
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}

static bool fits(const char *path, const struct ts_open_image *open, struct ts_error *err) {
  uint64_t scratch = ts_budget_scratch_bytes(), memory = ts_budget_memory_bytes();
  if (open->piece_bytes > memory / PIECE_SHARE)
    return refuse(path, open, open->piece_bytes, "its decoder must hold", "--memory", memory / PIECE_SHARE, err);
  if (!open->decoded_whole || stays_in_memory(open) || bytes_of(open) <= scratch) return true;
  return refuse(path, open, bytes_of(open), "it must be decoded whole, which takes", "--scratch", scratch, err);
}

bool ts_image_fits_budget(const char *path, int32_t level, struct ts_error *err) {
  ts_auto(ts_open_image_release) struct ts_open_image open = {0};
  return ts_open_image_get(path, level, &open, err) && fits(path, &open, err);
}

/* ---- Decoding ---- */

static void destroy(gpointer pointer) {
  struct whole *whole = pointer;
  ts_unref_image(&whole->pixels);
  if (whole->booked_bytes > 0) ts_budget_return_scratch(whole->booked_bytes);
  pthread_mutex_destroy(&whole->lock);
  free(whole->path);
  free(whole);
}

void ts_whole_attach(struct ts_open_image *open, const char *path, const struct ts_image_page *page) {
  struct whole *whole = ts_calloc(1, sizeof *whole);
  pthread_mutex_init(&whole->lock, NULL);
  whole->path = ts_strdup(path);
  whole->page = *page;
  g_object_set_data_full(G_OBJECT(open->image), WHOLE_KEY, whole, destroy);
}

static VipsImage *stream(const struct whole *whole, struct ts_error *err) {
  VipsSource *source = vips_source_new_from_file(whole->path);
  VipsImage *image = source ? ts_image_load(source, &whole->page, VIPS_ACCESS_SEQUENTIAL) : NULL;
  if (source) g_object_unref(source);
  if (!image) ts_image_fail(err, whole->path, "cannot be read");
  return image;
}

/* The file under a name that libvips can open; it has no other. */
static VipsImage *open_raw(int file, const VipsImage *like) {
  char name[32];
  VipsImage *pixels = NULL;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  vips_rawload(name, &pixels, like->Xsize, like->Ysize, like->Bands, "format", like->BandFmt, NULL);
  return pixels;
}

static VipsImage *decode_into_file(struct whole *whole, VipsImage *image, uint64_t bytes, struct ts_error *err) {
  if (!ts_budget_take_scratch(bytes, ts_images_close_idle)) {
    ts_fail(err, TS_ERR_NO_SCRATCH, "the temporary file for '%s' does not fit into --scratch", whole->path);
    return NULL;
  }
  whole->booked_bytes = bytes;
  int file = ts_budget_create_file(bytes, err);
  if (file < 0) return NULL;
  VipsImage *pixels = vips_rawsave_fd(image, file, NULL) == 0 ? open_raw(file, image) : NULL;
  close(file);
  if (!pixels) ts_image_fail(err, whole->path, "cannot be decoded");
  return pixels;
}

static VipsImage *decode(struct whole *whole, const struct ts_open_image *open, struct ts_error *err) {
  ts_auto(ts_unref_image) VipsImage *image = stream(whole, err);
  if (!image) return NULL;
  /* The file may be another one than the one that was opened. */
  if (image->Xsize != open->image->Xsize || image->Ysize != open->image->Ysize || image->Bands != open->image->Bands ||
      image->BandFmt != open->image->BandFmt) {
    ts_image_refuse(err, whole->path, "let the file alone while it is read", "'%s' was changed", whole->path);
    return NULL;
  }
  if (!stays_in_memory(open)) return decode_into_file(whole, image, bytes_of(open), err);
  VipsImage *pixels = vips_image_copy_memory(image);
  if (!pixels) ts_image_fail(err, whole->path, "cannot be decoded");
  return pixels;
}

static struct whole *whole_of(const struct ts_open_image *open) {
  return g_object_get_data(G_OBJECT(open->image), WHOLE_KEY);
}

VipsImage *ts_whole_pixels(const char *path, const struct ts_open_image *open, struct ts_error *err) {
  struct whole *whole = open->decoded_whole ? whole_of(open) : NULL;
  if (!fits(path, open, err)) return NULL;
  if (!whole) return g_object_ref(open->image);
  pthread_mutex_lock(&whole->lock);
  if (!whole->pixels) {
    whole->pixels = decode(whole, open, err);
    if (!whole->pixels && whole->booked_bytes > 0) ts_budget_return_scratch(whole->booked_bytes);
    if (!whole->pixels) whole->booked_bytes = 0;
  }
  VipsImage *pixels = whole->pixels ? g_object_ref(whole->pixels) : NULL;
  pthread_mutex_unlock(&whole->lock);
  return pixels;
}

VipsImage *ts_whole_stream(const char *path, const struct ts_open_image *open, struct ts_error *err) {
  return fits(path, open, err) ? stream(whole_of(open), err) : NULL;
}
