/* Looks into a TIFF file for facts that libvips does not give: is it tiled, how large is a tile, and do its JPEG tiles
 * lie about their colours.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A TIFF with JPEG compression whose tag says RGB may hold YCbCr (Bio-Formats wrote such files). libtiff believes the
 * tag and hands out Y, Cb and Cr as red, green and blue. The JPEG stream of the first tile tells, in this order: an
 * Adobe marker names the colours: transform 0 is RGB, 1 is YCbCr; a JFIF marker: the JFIF standard allows YCbCr only;
 * components that are called R, G and B are RGB; a first component with finer sampling than the others is a luminance,
 * hence YCbCr; otherwise the tag is believed (Aperio's slides store true RGB with components 0, 1 and 2). Every read is
 * checked against the end of the file; unreadable parts leave the facts false. */
#include "image/open_int.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
  TAG_COMPRESSION = 259,
  TAG_PHOTOMETRIC = 262,
  TAG_STRIPS = 273,
  TAG_SAMPLES = 277,
  TAG_TILE_WIDTH = 322,
  TAG_TILE_HEIGHT = 323,
  TAG_TILES = 324,
  TAG_BELOW = 330
};
enum { COMPRESSION_JPEG = 7, PHOTOMETRIC_RGB = 2 };
enum { TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_IFD = 13, TYPE_LONG8 = 16, TYPE_IFD8 = 18 };
enum { JPEG_APP0 = 0xe0, JPEG_APP14 = 0xee, JPEG_SCAN = 0xda, JPEG_END = 0xd9 };
#define ENTRIES_MAX  4096
#define SEGMENTS_MAX 64

struct tiff {
  int fd; /* owned */
  bool big_endian;
  bool big_tiff; /* 64-bit offsets */
};

static bool read_at(const struct tiff *tiff, uint64_t offset, void *bytes, size_t size) {
  return offset <= INT64_MAX && pread(tiff->fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

static uint64_t number_of(const struct tiff *tiff, const unsigned char *bytes, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; i++) number = number << 8 | bytes[tiff->big_endian ? i : size - 1 - i];
  return number;
}

static bool read_number(const struct tiff *tiff, uint64_t offset, size_t size, uint64_t *number) {
  unsigned char bytes[8];
  if (!read_at(tiff, offset, bytes, size)) return false;
  *number = number_of(tiff, bytes, size);
  return true;
}

/* Where the first directory is. */
static bool read_start(struct tiff *tiff, uint64_t *directory) {
  unsigned char magic[4];
  if (!read_at(tiff, 0, magic, 4)) return false;
  tiff->big_endian = magic[0] == 'M';
  if (memcmp(magic, "II", 2) != 0 && memcmp(magic, "MM", 2) != 0) return false;
  uint64_t version = number_of(tiff, magic + 2, 2);
  tiff->big_tiff = version == 43;
  if (version != 42 && version != 43) return false;
  return read_number(tiff, tiff->big_tiff ? 8 : 4, tiff->big_tiff ? 8 : 4, directory);
}

static size_t type_bytes(uint64_t type) {
  switch (type) {
  case TYPE_SHORT: return 2;
  case TYPE_LONG:
  case TYPE_IFD: return 4;
  case TYPE_LONG8:
  case TYPE_IFD8: return 8;
  default: return 0;
  }
}

/* One value of an entry of whole numbers. */
static bool value_at(const struct tiff *tiff, const unsigned char *entry, uint64_t index, uint64_t *value) {
  size_t offset_bytes = tiff->big_tiff ? 8 : 4;
  size_t item_bytes = type_bytes(number_of(tiff, entry + 2, 2));
  uint64_t count = number_of(tiff, entry + 4, offset_bytes);
  const unsigned char *field = entry + 4 + offset_bytes;
  if (item_bytes == 0 || index >= count || index > UINT32_MAX) return false;
  if (count <= offset_bytes / item_bytes) {
    *value = number_of(tiff, field + index * item_bytes, item_bytes);
    return true;
  }
  return read_number(tiff, number_of(tiff, field, offset_bytes) + index * item_bytes, item_bytes, value);
}

struct directory {
  uint64_t compression, photometric, samples, first_tile;
  uint64_t tile_width, tile_height;
  uint64_t next;           /* where the next page is; 0: there is none */
  unsigned char below[20]; /* the entry that lists sub-directories; zero: there is none */
  bool tiled;
};

static void take_entry(const struct tiff *tiff, const unsigned char *entry, struct directory *directory) {
  uint64_t value = 0;
  if (!value_at(tiff, entry, 0, &value)) return;
  switch (number_of(tiff, entry, 2)) {
  case TAG_COMPRESSION: directory->compression = value; break;
  case TAG_PHOTOMETRIC: directory->photometric = value; break;
  case TAG_SAMPLES: directory->samples = value; break;
  case TAG_TILE_WIDTH:
    directory->tiled = true;
    directory->tile_width = value;
    break;
  case TAG_TILE_HEIGHT: directory->tile_height = value; break;
  case TAG_STRIPS:
  case TAG_TILES: directory->first_tile = value; break;
  default: break;
  }
}

static bool read_directory(const struct tiff *tiff, uint64_t offset, struct directory *directory) {
  size_t count_bytes = tiff->big_tiff ? 8 : 2;
  size_t entry_bytes = tiff->big_tiff ? 20 : 12;
  uint64_t count = 0;
  *directory = (struct directory){0};
  if (!read_number(tiff, offset, count_bytes, &count) || count > ENTRIES_MAX) return false;
  for (uint64_t i = 0; i < count; i++) {
    unsigned char entry[20];
    if (!read_at(tiff, offset + count_bytes + i * entry_bytes, entry, entry_bytes)) return false;
    take_entry(tiff, entry, directory);
    if (number_of(tiff, entry, 2) == TAG_BELOW) memcpy(directory->below, entry, sizeof directory->below);
  }
  return read_number(tiff, offset + count_bytes + count * entry_bytes, tiff->big_tiff ? 8 : 4, &directory->next);
}

/* The directory of a picture: pages are a chain, sub-directories a list in the first page. */
static bool find_directory(struct tiff *tiff, const struct ts_image_page *page, struct directory *directory) {
  uint64_t offset = 0;
  if (!read_start(tiff, &offset) || !read_directory(tiff, offset, directory)) return false;
  for (int i = 0; i < page->page; i++) {
    if (directory->next == 0 || !read_directory(tiff, directory->next, directory)) return false;
  }
  if (page->subifd < 0) return true;
  return value_at(tiff, directory->below, (uint64_t)page->subifd, &offset) && read_directory(tiff, offset, directory);
}

/* What the segments before the first scan say about colours. */
struct jpeg_signs {
  bool adobe, adobe_ycc, jfif;
  bool named_rgb, finer_first;
};

static bool is_frame(unsigned char marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static void take_segment(unsigned char marker, const unsigned char *body, size_t size, struct jpeg_signs *signs) {
  if (marker == JPEG_APP14 && size >= 12 && memcmp(body, "Adobe", 5) == 0) {
    signs->adobe = true;
    signs->adobe_ycc = body[11] == 1;
  } else if (marker == JPEG_APP0 && size >= 5 && memcmp(body, "JFIF", 5) == 0) {
    signs->jfif = true;
  } else if (is_frame(marker) && size >= 15 && body[5] == 3) {
    /* three components of (name, sampling across << 4 | down, table) each */
    signs->named_rgb = body[6] == 'R' && body[9] == 'G' && body[12] == 'B';
    int first = (body[7] >> 4) * (body[7] & 15);
    signs->finer_first = first > (body[10] >> 4) * (body[10] & 15) && first > (body[13] >> 4) * (body[13] & 15);
  }
}

static bool holds_ycc(const struct tiff *tiff, uint64_t offset) {
  struct jpeg_signs signs = {0};
  offset += 2; /* start of image */
  for (int i = 0; i < SEGMENTS_MAX; i++) {
    unsigned char head[4];
    if (!read_at(tiff, offset, head, 4) || head[0] != 0xff || head[1] == JPEG_SCAN || head[1] == JPEG_END) break;
    size_t length = (size_t)head[2] << 8 | head[3]; /* counts its own two bytes */
    unsigned char body[16] = {0};
    size_t size = length < 2 ? 0 : length - 2;
    size_t known = size < sizeof body ? size : sizeof body;
    if (length < 2 || !read_at(tiff, offset + 4, body, known)) break;
    take_segment(head[1], body, known, &signs);
    offset += 2 + length;
  }
  if (signs.adobe) return signs.adobe_ycc;
  if (signs.jfif) return true;
  return signs.finer_first && !signs.named_rgb;
}

void ts_tiff_inspect(const char *path, const struct ts_image_page *page, struct ts_tiff_facts *facts) {
  *facts = (struct ts_tiff_facts){0};
  struct tiff tiff = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
  if (tiff.fd < 0) return;
  struct directory directory = {0};
  if (find_directory(&tiff, page, &directory)) {
    facts->tiled = directory.tiled;
    facts->tile_width = directory.tiled ? directory.tile_width : 0;
    facts->tile_height = directory.tiled ? directory.tile_height : 0;
    bool fits = directory.tile_width == 0 || directory.tile_height <= UINT64_MAX / directory.tile_width;
    if (directory.tiled) facts->piece_pixels = fits ? directory.tile_width * directory.tile_height : UINT64_MAX;
    facts->ycc_as_rgb = directory.compression == COMPRESSION_JPEG && directory.photometric == PHOTOMETRIC_RGB &&
                        directory.samples == 3 && holds_ycc(&tiff, directory.first_tile);
  }
  close(tiff.fd);
}
