/* Reads a shared library before the system loads it: whether it is one, is whole, and its GNU build id.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only files that the loader of this machine accepts are of interest: 64 bit, native byte order. Everything else,
 * and a damaged file, counts as having no build id; the digest of the file's bytes identifies it then. */
#include "op/op_int.h"

#include "base/alloc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SEGMENTS   256
#define MAX_NOTE_BYTES ((uint64_t)64 * 1024)

static bool read_at(int file, void *target, size_t size, uint64_t offset) {
  return offset <= INT64_MAX && pread(file, target, size, (off_t)offset) == (ssize_t)size;
}

static size_t aligned(size_t size) { return (size + 3) & ~(size_t)3; }

/* Walks the notes of one segment; returns the size of the build id, 0 if it is not among them. */
static size_t find_in_notes(const uint8_t *notes, size_t size, uint8_t id[64]) {
  size_t at = 0;
  while (size - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    memcpy(&note, notes + at, sizeof(note));
    at += sizeof(note);
    size_t name_size = aligned(note.n_namesz), value_size = aligned(note.n_descsz);
    if (name_size > size - at || value_size > size - at - name_size) return 0;
    const uint8_t *name = notes + at, *value = name + name_size;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 && note.n_descsz <= 64) {
      memcpy(id, value, note.n_descsz);
      return note.n_descsz;
    }
    at += name_size + value_size;
  }
  return 0;
}

static size_t find_in_segment(int file, const Elf64_Phdr *segment, uint8_t id[64]) {
  if (segment->p_type != PT_NOTE || segment->p_filesz > MAX_NOTE_BYTES) return 0;
  ts_auto_free uint8_t *notes = ts_malloc(segment->p_filesz + 1);
  if (!read_at(file, notes, segment->p_filesz, segment->p_offset)) return 0;
  return find_in_notes(notes, segment->p_filesz, id);
}

static size_t find_build_id(int file, uint8_t id[64]) {
  Elf64_Ehdr header;
  if (!read_at(file, &header, sizeof(header), 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > MAX_SEGMENTS)
    return 0;
  for (size_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!read_at(file, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment))) return 0;
    size_t size = find_in_segment(file, &segment, id);
    if (size > 0) return size;
  }
  return 0;
}

/* NULL if the system's loader can be trusted with the file, otherwise its fault. */
static const char *find_fault(int file) {
  Elf64_Ehdr header;
  struct stat state;
  if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode)) return "it is not a regular file";
  if (!read_at(file, &header, sizeof(header), 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is not an ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN) return "it is not a 64-bit shared library";
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 || header.e_phnum > MAX_SEGMENTS)
    return "its list of segments is damaged";
  for (size_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!read_at(file, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment))) return "its end is missing";
    uint64_t size = (uint64_t)state.st_size;
    bool inside = segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset;
    if (segment.p_type == PT_LOAD && !inside) return "its end is missing";
  }
  return NULL;
}

bool ts_elf_check(const char *path, const char *name, struct ts_error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  const char *fault = file < 0 ? strerror(errno) : find_fault(file);
  if (file >= 0) close(file);
  if (!fault) return true;
  ts_fail(err, TS_ERR_PLUGIN, "plugin '%s' could not be loaded: %s", name, fault);
  ts_error_help(err, "compile it again, as a shared library for this machine");
  return ts_error_place(err, name, 0, 0, "");
}

bool ts_elf_build_id(const char *path, uint8_t id[64], size_t *size, struct ts_error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    ts_fail(err, TS_ERR_FILE_IO, "'%s' cannot be opened: %s", path, strerror(errno));
    ts_error_help(err, "check the path and the permissions");
    return ts_error_place(err, path, 0, 0, "");
  }
  *size = find_build_id(file, id);
  close(file);
  return true;
}
