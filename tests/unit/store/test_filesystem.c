/* Which file systems are refused. The numbers are those of linux/magic.h and statfs(2).
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "store/filesystem.h"

#include <linux/magic.h>

static void assert_name(const char *expected, long magic, const char *type) {
  const char *name = ts_filesystem_network_name(magic, type);
  if (expected) {
    assert_non_null(name);
    assert_string_equal(name, expected);
  } else {
    assert_null(name);
  }
}

static void network_file_systems_are_known(void **state) {
  (void)state;
  assert_name("NFS", NFS_SUPER_MAGIC, "nfs4");
  assert_name("SMB", SMB_SUPER_MAGIC, NULL);
  assert_name("CIFS", (long)CIFS_SUPER_MAGIC, NULL);
  assert_name("CIFS", (long)(int)CIFS_SUPER_MAGIC, NULL); /* sign-extended */
  assert_name("SMB2", (long)SMB2_SUPER_MAGIC, NULL);
  assert_name("Ceph", CEPH_SUPER_MAGIC, NULL);
  assert_name("AFS", AFS_SUPER_MAGIC, NULL);
  assert_name("9P", V9FS_MAGIC, NULL);
  assert_name("Lustre", 0x0BD00BD0L, "lustre");
  assert_name("GPFS", 0x47504653L, "gpfs");
}

static void local_file_systems_are_accepted(void **state) {
  (void)state;
  assert_name(NULL, EXT4_SUPER_MAGIC, "ext4");
  assert_name(NULL, XFS_SUPER_MAGIC, "xfs");
  assert_name(NULL, (long)BTRFS_SUPER_MAGIC, "btrfs");
  assert_name(NULL, TMPFS_MAGIC, "tmpfs");
  assert_name(NULL, OVERLAYFS_SUPER_MAGIC, "overlay");
}

static void behind_fuse_the_type_decides(void **state) {
  (void)state;
  assert_name("sshfs", FUSE_SUPER_MAGIC, "fuse.sshfs");
  assert_name("glusterfs", FUSE_SUPER_MAGIC, "fuse.glusterfs");
  assert_name("virtiofs", FUSE_SUPER_MAGIC, "virtiofs");
  assert_name(NULL, FUSE_SUPER_MAGIC, "fuseblk");
  assert_name(NULL, FUSE_SUPER_MAGIC, "fuse.fuse-overlayfs");
  assert_name(NULL, FUSE_SUPER_MAGIC, NULL);
}

static void a_path_that_is_not_there_is_judged_by_the_folder_above(void **state) {
  (void)state;
  char folder[SCRATCH_SIZE];
  char path[SCRATCH_SIZE + 32];
  struct ts_error err = {0};
  scratch_create(folder);
  snprintf(path, sizeof path, "%s/not/there/yet", folder);
  assert_true(ts_filesystem_check_local(path, &err));
  assert_true(ts_filesystem_check_local("not/there/yet", &err));
  assert_no_error(&err);
  scratch_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(network_file_systems_are_known),
      cmocka_unit_test(local_file_systems_are_accepted),
      cmocka_unit_test(behind_fuse_the_type_decides),
      cmocka_unit_test(a_path_that_is_not_there_is_judged_by_the_folder_above),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
