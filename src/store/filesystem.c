/* Tells network file systems by number and, behind FUSE, by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/filesystem.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#define FUSE_MAGIC 0x65735546L

/* Numbers from linux/magic.h and, where the kernel's headers lack them, from the file systems' own sources. */
static const struct {
  unsigned long magic;
  const char *name;
} networks[] = {
    {0x6969UL, "NFS"},
    {0x517BUL, "SMB"},
    {0xFE534D42UL, "SMB2"},
    {0xFF534D42UL, "CIFS"},
    {0x5346414FUL, "AFS"},
    {0x6B414653UL, "AFS"},
    {0x73757245UL, "Coda"},
    {0x564CUL, "NCP"},
    {0x01021997UL, "9P"},
    {0x0BD00BD0UL, "Lustre"},
    {0x47504653UL, "GPFS"},
    {0x00C36400UL, "Ceph"},
    {0x01161970UL, "GFS2"},
    {0x7461636FUL, "OCFS2"},
    {0x19830326UL, "BeeGFS"},
    {0xAAD7AAEAUL, "PanFS"},
    {0x20030528UL, "OrangeFS"},
    {0xBACBACBCUL, "VMware shared folder"},
    {0x786F4256UL, "VirtualBox shared folder"},
};

/* File systems behind FUSE that are not a disk of this machine; others (NTFS, overlays, encryption) are. */
static const char *const fuse_networks[] = {
    "sshfs",     "glusterfs", "ceph",    "s3fs", "rclone",  "goofys", "gcsfuse", "gvfsd-fuse",  "davfs",
    "curlftpfs", "lustre",    "moosefs", "mfs",  "juicefs", "hdfs",   "cvmfs",   "vmhgfs-fuse", "smbnetfs",
};

static const char *fuse_name(const char *type) {
  if (!type) return NULL;
  if (strcmp(type, "virtiofs") == 0) return "virtiofs";
  const char *name = strncmp(type, "fuse.", 5) == 0 ? type + 5 : type;
  for (size_t i = 0; i < sizeof fuse_networks / sizeof fuse_networks[0]; i++) {
    if (strcmp(name, fuse_networks[i]) == 0) return fuse_networks[i];
  }
  return NULL;
}

const char *ts_filesystem_network_name(long magic, const char *type) {
  if (magic == FUSE_MAGIC) return fuse_name(type);
  for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
    /* statfs gives 32 bits, some of them sign-extended. */
    if ((networks[i].magic & 0xFFFFFFFFUL) == ((unsigned long)magic & 0xFFFFFFFFUL)) return networks[i].name;
  }
  return NULL;
}

static bool has_third_word(const char *line, const char *word) {
  for (int i = 0; i < 2; i++) {
    line += strcspn(line, " ");
    line += strspn(line, " ");
  }
  return strcspn(line, " \n") == strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/* The type of the mount with this device number, as in "36 35 98:0 / /mnt rw shared:1 - fuse.sshfs host rw". */
static bool find_mount_type(dev_t device, char *type, size_t size) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  if (!file) return false;
  char wanted[32];
  snprintf(wanted, sizeof wanted, "%u:%u", major(device), minor(device));
  char *line = NULL;
  size_t capacity = 0;
  bool found = false;
  while (!found && getline(&line, &capacity, file) > 0) {
    const char *tail = strstr(line, " - ");
    if (!tail || !has_third_word(line, wanted)) continue;
    const size_t length = strcspn(tail + 3, " \n");
    if (length >= size) continue;
    memcpy(type, tail + 3, length);
    type[length] = '\0';
    found = true;
  }
  free(line);
  fclose(file);
  return found;
}

/* The path itself or the nearest folder above it that exists. */
static char *nearest_existing(const char *path) {
  char *nearest = ts_strdup(path);
  struct stat status;
  while (stat(nearest, &status) != 0 && strcmp(nearest, "/") != 0 && strcmp(nearest, ".") != 0) {
    char *above = ts_path_folder(nearest);
    free(nearest);
    nearest = above;
  }
  return nearest;
}

bool ts_filesystem_check_local(const char *path, struct ts_error *err) {
  ts_auto_free char *nearest = nearest_existing(path);
  struct statfs file_system;
  struct stat status;
  if (statfs(nearest, &file_system) != 0 || stat(nearest, &status) != 0) {
    ts_fail(err, TS_ERR_STORE, "the file system of '%s' cannot be asked: %s", nearest, strerrordesc_np(errno));
    return ts_error_help(err, "choose another folder for the store");
  }
  char type[64];
  const bool has_type = find_mount_type(status.st_dev, type, sizeof type);
  const char *name = ts_filesystem_network_name((long)file_system.f_type, has_type ? type : NULL);
  if (!name) return true;
  ts_fail(err, TS_ERR_STORE, "the store '%s' lies on a network file system (%s), where it could be damaged", path,
          name);
  return ts_error_help(err, "choose a folder on a disk of this machine");
}
