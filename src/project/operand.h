/* What the user named: a file of a project, or data.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_OPERAND_H
#define TS_PROJECT_OPERAND_H

#include "project/project.h"

/* An image, a folder of images, a pattern or a manifest in the place of a study or workflow becomes data of the
 * request. *is_data: it was. False: a fault. */
bool ts_operand_settle(struct ts_project *project, bool *is_data, struct ts_issues *issues);

/* For files of projects alone: a fault, and false, if the path is data. `needed` as in "a workflow or study". */
bool ts_operand_refuse_data(const char *path, const char *needed, struct ts_issues *issues);

#endif
