/* What a study file starts with where it says nothing about its method.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_STUDY_METHOD_H
#define TS_PROJECT_STUDY_METHOD_H

#include "project/project.h"

/* Defaults of a study file; docs/workflow-file.md has the same figures. */
#define STUDY_KEEP_SHARE 0.1 /* of the largest mu* */
#define STUDY_SEED       1
#define STUDY_RESAMPLES  1000
#define STUDY_CONFIDENCE 0.95

#endif
