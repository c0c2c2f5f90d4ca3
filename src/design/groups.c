/* Numbers the groups of a space in the order in which they first appear.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/groups.h"

#include <string.h>

/* The group of an earlier parameter with the same group; TS_NONE if this is the first. */
static size_t find_group(const struct ts_space *space, const struct ts_groups *groups, size_t column) {
  const char *wanted = space->parameters[column]->group;
  for (size_t before = 0; wanted && before < column; before++) {
    const char *other = space->parameters[before]->group;
    if (other && strcmp(other, wanted) == 0) return groups->of[before];
  }
  return TS_NONE;
}

struct ts_groups ts_space_groups(const struct ts_space *space, struct ts_arena *arena) {
  struct ts_groups groups = {.count = space->count};
  bool any = false;
  for (size_t i = 0; i < space->count; i++) any |= space->parameters[i]->group != NULL;
  if (!any) return groups;
  groups.count = 0;
  groups.of = ts_arena_array(arena, space->count, sizeof *groups.of);
  groups.names = ts_arena_array(arena, space->count, sizeof *groups.names);
  for (size_t i = 0; i < space->count; i++) {
    const struct ts_parameter *parameter = space->parameters[i];
    size_t group = find_group(space, &groups, i);
    if (group == TS_NONE) {
      group = groups.count;
      groups.names[groups.count++] = parameter->group ? parameter->group : parameter->name;
    }
    groups.of[i] = group;
  }
  return groups;
}
