/* Starts libvips as tessera needs it, and turns what it says into errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/image_int.h"

#include "base/alloc.h"
#include "base/log.h"

#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started;

/* libtiff complains about every private tag of a microscope's TIFF: of no use to the user, so only for -vv. */
static void on_message(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user) {
  (void)level;
  (void)user;
  ts_log(TS_LOG_DEBUG, "%s: %s", domain, message);
}

static void start(void) {
  started = vips_init("tessera") == 0;
  if (!started) return;
  g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO | G_LOG_LEVEL_DEBUG,
                    on_message, NULL);
  /* The pool of the run decides how many threads work, and the store what is kept. */
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_cache_set_max_files(0);
}

bool ts_image_startup(struct ts_error *err) {
  pthread_once(&once, start);
  if (started) return true;
  return ts_fail(err, TS_ERR_SYSTEM, "the image library libvips could not be started: %s", vips_error_buffer());
}

/* The last line of libvips' message: the earlier ones repeat it in other words. */
static void last_line(char *text) {
  size_t length = strlen(text);
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) text[--length] = '\0';
  const char *line = strrchr(text, '\n');
  if (line) memmove(text, line + 1, strlen(line + 1) + 1);
}

bool ts_image_fail(struct ts_error *err, const char *path, const char *what) {
  char *said = vips_error_buffer_copy();
  last_line(said);
  ts_fail(err, TS_ERR_BAD_IMAGE, "'%s' %s: %s", path, what, said[0] ? said : "the file is damaged");
  ts_error_help(err, "look at the file with another program; it may be cut or not be an image");
  ts_error_place(err, path, 0, 0, NULL);
  g_free(said);
  return false;
}

bool ts_image_refuse(struct ts_error *err, const char *path, const char *help, const char *format, ...) {
  va_list args;
  va_start(args, format);
  ts_vfail(err, TS_ERR_BAD_IMAGE, format, args);
  va_end(args);
  ts_error_help(err, "%s", help);
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}

void ts_unref_image(VipsImage **image) {
  if (*image) g_object_unref(*image);
  *image = NULL;
}
