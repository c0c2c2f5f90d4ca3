/* A plugin for operation API 1 that offers its operations whatever number it is given.
 * SPDX-License-Identifier: Apache-2.0 */
#define STUBBORN
#include "api_1.c"
