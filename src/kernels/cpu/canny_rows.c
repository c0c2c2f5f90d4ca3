/* The loops over rows of the Canny edges in plain C: the reference.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/canny_rows_body.h"

const struct ts_canny_rows ts_canny_rows_scalar = {columns, sobel, ridges};
