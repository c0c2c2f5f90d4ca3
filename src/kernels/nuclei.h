/* The nuclei workflow: colour normalisation and the seven tasks of segmentation.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Images are interleaved RGB, 8 bits; masks and grey planes are as in kernels/kernels.h, and so are sizes, errors,
 * threads, connectivities and the rule about shared planes. The tasks in order, with what they need:
 *   red_cells       image                       -> rbc, status
 *   background      image                       -> rc, rc_open, recon
 *   candidates      rc, recon                   -> diff, bw1
 *   candidate_size  bw1                         -> bw1_t
 *   refine          diff, bw1_t, rbc            -> seg_open
 *   split           image, seg_open             -> seg_nonoverlap
 *   final_size      seg_nonoverlap              -> mask
 * All are defined per tile. Reach: red_cells, candidate_size, split, final_size look at whole components; background,
 * candidates and refine at the whole tile; normalise takes its statistics from the whole image, or is given those of
 * the slide. */
#ifndef TS_KERNELS_NUCLEI_H
#define TS_KERNELS_NUCLEI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/memo.h"
#include "kernels/threads.h"

/* ---- Colour normalisation: Reinhard's transfer in Ruderman's l-alpha-beta space, foreground only ---- */

struct ts_nuclei_target {
  float mean[3]; /* l, alpha, beta */
  float std[3];
};

/* The target that the workflow uses. */
extern const struct ts_nuclei_target ts_nuclei_default_target;

/* How the foreground of a slide is coloured. */
struct ts_nuclei_stain {
  int64_t count;  /* pixels of the foreground that have a logarithm; 0: nothing is known */
  double mean[3]; /* l, alpha, beta */
  double std[3];  /* 0: the channel does not vary */
};
bool ts_nuclei_measure_stain(const uint8_t *rgb, int64_t width, int64_t height, struct ts_nuclei_stain *stain,
                             const struct ts_kernel_threads *threads, struct ts_error *err);

/* stain: of the whole slide; NULL: that of this image. The background passes through the colour space and back with its
 * own values. Without foreground the image is copied; a channel in which the foreground does not vary keeps its values.
 * Black pixels (no logarithm) do not count in the statistics and stay black. */
bool ts_nuclei_normalise(const uint8_t *rgb, int64_t width, int64_t height, const struct ts_nuclei_target *target,
                         const struct ts_nuclei_stain *stain, uint8_t *out, const struct ts_kernel_threads *threads,
                         struct ts_error *err);

/* ---- Segmentation ---- */

enum ts_nuclei_status {
  TS_NUCLEI_TISSUE,
  TS_NUCLEI_BACKGROUND,       /* at least 99 % of the pixels are bright */
  TS_NUCLEI_BACKGROUND_LIKELY /* at least 90 % */
};

struct ts_nuclei_red_cells_params {
  int blue; /* a pixel brighter than all three is background */
  int green;
  int red;
  double t1; /* red to green ratio that starts a red blood cell; rounded to float */
  double t2; /* ratio that continues one */
};

/* rbc: red blood cells; 255 everywhere if the status is not tissue, so that refine leaves nothing. */
bool ts_nuclei_red_cells(const uint8_t *rgb, int64_t width, int64_t height,
                         const struct ts_nuclei_red_cells_params *params, uint8_t *rbc, enum ts_nuclei_status *status,
                         const struct ts_kernel_threads *threads, struct ts_error *err);

/* rc: inverted red; rc_open: its opening by a disk; recon: rc reconstructed from that. Three different planes. */
bool ts_nuclei_background(const uint8_t *rgb, int64_t width, int64_t height, int recon_connectivity, uint8_t *rc,
                          uint8_t *rc_open, uint8_t *recon, const struct ts_kernel_threads *threads,
                          struct ts_error *err);

/* diff: rc above its background; bw1: where it exceeds g1, holes filled. */
bool ts_nuclei_candidates(const uint8_t *rc, const uint8_t *recon, int64_t width, int64_t height, int fill_connectivity,
                          int g1, uint8_t *diff, uint8_t *bw1, const struct ts_kernel_threads *threads,
                          struct ts_error *err);

/* Candidates with min_size <= area < max_size. */
bool ts_nuclei_candidate_size(const uint8_t *bw1, int64_t width, int64_t height, int64_t min_size, int64_t max_size,
                              uint8_t *bw1_t, const struct ts_kernel_threads *threads, struct ts_error *err);

/* Grows the candidates to where diff exceeds g2, takes the red cells out, fills holes and opens by a cross. */
bool ts_nuclei_refine(const uint8_t *diff, const uint8_t *bw1_t, const uint8_t *rbc, int64_t width, int64_t height,
                      int g2, uint8_t *seg_open, const struct ts_kernel_threads *threads, struct ts_error *err);

/* Drops objects below min_size_pl, grows the rest by one pixel and separates touching nuclei by a watershed. Each grown
 * object is a part; the memo's prefix is made from the image. */
bool ts_nuclei_split(const uint8_t *rgb, const uint8_t *seg_open, int64_t width, int64_t height, int64_t min_size_pl,
                     int watershed_connectivity, uint8_t *seg_nonoverlap, const struct ts_kernel_threads *threads,
                     const struct ts_kernel_memo *memo, struct ts_error *err);

/* Objects with min_size <= area < max_size, holes filled. */
bool ts_nuclei_final_size(const uint8_t *seg_nonoverlap, int64_t width, int64_t height, int64_t min_size,
                          int64_t max_size, int fill_connectivity, uint8_t *mask,
                          const struct ts_kernel_threads *threads, struct ts_error *err);

#endif
