/* A shared library that is no plugin.
 * SPDX-License-Identifier: Apache-2.0 */
int unrelated(void);

int unrelated(void) { return 1; }
