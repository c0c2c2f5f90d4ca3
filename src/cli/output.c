/* Looks at the standard streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void ts_cli_output_secure(void) {
  /* Opened the wrong way round on purpose: reading or writing fails as it would have. */
  static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = 0; stream <= 2; stream++) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    int opened = open("/dev/null", modes[stream]);
    if (opened != stream) abort(); /* the lowest free number is this one */
  }
}

bool ts_cli_output_is_terminal(FILE *stream) {
  const char *term = getenv("TERM");
  return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
}

bool ts_cli_output_color(FILE *stream, const char *when) {
  if (strcmp(when, "always") == 0) return true;
  return strcmp(when, "never") != 0 && ts_cli_output_is_terminal(stream);
}

int ts_cli_output_width(FILE *stream) {
  struct winsize size;
  if (!isatty(fileno(stream)) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

bool ts_cli_output_is_unicode(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

bool ts_cli_output_finish(FILE *stream, int earlier, bool *gone, struct ts_error *err) {
  errno = 0;
  bool fine = fflush(stream) == 0 && !ferror(stream) && !earlier;
  if (fine) return true;
  if (earlier) errno = earlier;
  *gone = errno == EPIPE;
  ts_fail(err, TS_ERR_FILE_IO, "the results could not be written to standard output: %s",
          errno ? strerror(errno) : "an earlier write failed");
  ts_error_help(err, "look at where standard output goes: is the disk full, is it closed?");
  return false;
}
