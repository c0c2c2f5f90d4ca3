/* Groups of parameters that designs for groups move together.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_GROUPS_H
#define TS_DESIGN_GROUPS_H

#include "base/arena.h"
#include "design/design.h"

#include <stddef.h>

struct ts_groups {
  size_t *of;         /* per parameter of the space; NULL: no parameter names a group */
  const char **names; /* borrowed from the parameters; a parameter without a group is a group of its own name */
  size_t count;       /* parameters without groups */
};
/* As the parameters of the space name them; the arrays are the arena's. */
struct ts_groups ts_space_groups(const struct ts_space *space, struct ts_arena *arena);

#endif
