/* The loops over rows of the Canny edges, compiled for AVX2.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/canny_rows_body.h"

const struct ts_canny_rows ts_canny_rows_avx2 = {columns, sobel, ridges};
