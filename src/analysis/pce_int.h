/* Parts of the sparse polynomial chaos method: points, basis, least-squares fit, selection of terms, indices.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Order of work: ts_pce_data (runs -> distinct points and polynomials of one parameter each), ts_pce_basis (which
 * products of them are candidates), ts_pce_lars (which candidates are kept, in which order), ts_pce_fit (least squares
 * with the leave-one-out error at every size), ts_pce_shares (coefficients -> indices). Used by pce*.c and its tests
 * only. */
#ifndef TS_ANALYSIS_PCE_INT_H
#define TS_ANALYSIS_PCE_INT_H

#include "analysis/method.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits that keep time within seconds and memory within some 100 MB; a note reports when one of them applies. */
#define TS_PCE_MAX_RUNS    10000   /* more are thinned at random */
#define TS_PCE_MAX_BASIS   2500    /* candidate terms */
#define TS_PCE_MAX_CELLS   4000000 /* points times candidate terms: 32 MB */
#define TS_PCE_MAX_CHOSEN  400     /* terms in one expansion */
#define TS_PCE_MAX_DEGREE  30
#define TS_PCE_ALL_PAIRS   64    /* up to this many names every pair gets an S2, above only those with a common term */
#define TS_PCE_EXACT       1e-20 /* leave-one-out error that is rounding only */
#define TS_PCE_MIN_RUNS    10
#define TS_PCE_LEVEL_SHARE 4 /* a discrete parameter has at least this many runs per level */

/* Legendre polynomials on [0, 1] with unit mean square: values of degree 0..degree at u. */
void ts_pce_legendre(double u, size_t degree, double *values);

/* One parameter: uniform on [0, 1], or levels that cover shares of it. */
struct ts_pce_axis {
  size_t level_count;  /* 0: continuous */
  double *middles;     /* owned; per level: middle of its share of [0, 1] */
  double *weights;     /* owned; per level: its share; they add up to 1 */
  size_t degree_limit; /* of polynomials that the runs can distinguish: distinct values - 1 */
};
/* Examines one column of `count` runs (`stride` numbers apart). Discrete: several unit coordinates give one value, or
 * all lie in the middle of shares that make up [0, 1]. Writes the coordinate of each run: u itself, or the middle of
 * its level. */
void ts_pce_axis_init(struct ts_pce_axis *axis, const double *unit, const double *values, size_t count, size_t stride,
                      double *coordinates);
void ts_pce_axis_release(struct ts_pce_axis *axis);
/* Orthonormal polynomials of degree 0..degree at `count` coordinates; polynomial d of coordinate i at table[d * count +
 * i]. degree <= degree_limit. */
void ts_pce_axis_table(const struct ts_pce_axis *axis, size_t degree, const double *coordinates, size_t count,
                       double *table);

/* The runs as the fit sees them: points that occur several times are one point with more weight, so that leaving one
 * out leaves out all of it. Sorted by coordinates: the order of the runs does not matter. */
struct ts_pce_data {
  size_t parameter_count;
  size_t run_count;         /* usable runs behind the points */
  size_t point_count;       /* distinct ones */
  struct ts_pce_axis *axes; /* owned; per parameter */
  double *coordinates;      /* owned; parameter by parameter, point_count each */
  double *roots;            /* owned; square root of each weight; the weights average 1 */
  double *outputs;          /* owned; root times mean output of the point */
  size_t degree;            /* of the tables */
  double *tables;           /* owned; parameter by parameter, degree by degree, point by point */
};
bool ts_pce_data_init(struct ts_pce_data *data, const struct ts_runs *runs, uint64_t seed, struct ts_error *err);
void ts_pce_data_release(struct ts_pce_data *data);
/* Polynomials of every parameter up to a degree (its own limit if that is less). */
void ts_pce_data_tabulate(struct ts_pce_data *data, size_t degree);

struct ts_pce_factor {
  uint32_t parameter, degree; /* degree >= 1 */
};
struct ts_pce_term {
  size_t first, factor_count; /* of basis->factors; ordered by parameter */
  size_t degree;              /* total */
};
/* Products of polynomials whose degrees d_j satisfy (sum d_j^q)^(1/q) <= degree; without the constant. Ordered by total
 * degree, then by parameter. */
struct ts_pce_basis {
  struct ts_pce_term *terms;     /* owned */
  struct ts_pce_factor *factors; /* owned */
  size_t count, capacity;
  size_t factor_count, factor_capacity;
};
/* False, and empty: more than `limit` terms. */
bool ts_pce_basis_init(struct ts_pce_basis *basis, const struct ts_pce_axis *axes, size_t parameter_count,
                       size_t degree, double q, size_t limit);
void ts_pce_basis_release(struct ts_pce_basis *basis);
/* The term at every point, times the root of its weight. */
void ts_pce_basis_column(const struct ts_pce_basis *basis, size_t term, const struct ts_pce_data *data, double *column);

/* Least squares that grows by one column at a time (Gram-Schmidt, twice). Column 0 is the constant. */
struct ts_pce_fit {
  size_t point_count, capacity;
  size_t count;           /* columns so far */
  double *q;              /* owned; orthonormal columns, point_count each */
  double *r;              /* owned; packed upper triangle by columns: X = Q R */
  double *inverse;        /* owned; of R, packed the same way */
  double *projections;    /* owned; Q' y */
  double *residuals;      /* owned; y - Q Q' y */
  double *leverages;      /* owned; diagonal of Q Q' */
  double *work;           /* owned; one column */
  double inverse_squares; /* trace of (X'X)^-1 */
  double total;           /* squares of the residuals with the constant alone */
};
void ts_pce_fit_init(struct ts_pce_fit *fit, const struct ts_pce_data *data, size_t capacity);
void ts_pce_fit_release(struct ts_pce_fit *fit);
/* False: the column is a combination of those before it; nothing has changed. */
bool ts_pce_fit_add(struct ts_pce_fit *fit, const double *column);
/* Back to the constant alone. */
void ts_pce_fit_reset(struct ts_pce_fit *fit, const struct ts_pce_data *data);
/* Mean squared leave-one-out error over the variance of the output; corrected: times N / (N - P) (1 + tr(C^-1) / N),
 * the price of P coefficients from N points (O. Chapelle et al., 2002, doi:10.1023/A:1013943418833). Infinite if it is
 * unknown. */
double ts_pce_fit_loo(const struct ts_pce_fit *fit, bool corrected);
void ts_pce_fit_coefficients(const struct ts_pce_fit *fit, double *coefficients); /* count; the constant first */

/* Candidate columns, and the terms chosen from them. */
struct ts_pce_matrix {
  size_t point_count, count;
  double *columns; /* owned; column by column */
};
struct ts_pce_choice {
  size_t *terms; /* owned; count entries, in the order of choice */
  size_t count;
  double loo;       /* corrected; of the fit with these terms */
  size_t collinear; /* candidates that were combinations of chosen ones */
};
void ts_pce_choice_release(struct ts_pce_choice *choice);
/* Least-angle regression (B. Efron et al., 2004, doi:10.1214/009053604000000067) decides the order in which terms come
 * in, least squares the coefficients, the corrected leave-one-out error how many stay (G. Blatman, B. Sudret, 2011,
 * doi:10.1016/j.jcp.2010.12.021). Then the chosen terms are put in order of their own weight and the number is chosen
 * again, which drops terms that came in by accident. `fit` has room for the terms; it is left in any state. */
void ts_pce_lars(const struct ts_pce_matrix *matrix, const struct ts_pce_data *data, struct ts_pce_fit *fit,
                 struct ts_pce_choice *choice);

/* Who takes part in which term, and the sums of squared coefficients that are the indices. */
struct ts_pce_shares {
  size_t name_count;    /* parameters or groups */
  size_t term_count;    /* without the constant */
  size_t *starts;       /* owned; term_count + 1; of members */
  size_t *members;      /* owned; names in each term, increasing */
  size_t *pair_of_term; /* owned; TS_NONE unless the term has exactly two names */
  size_t pair_count;
  struct ts_pair_index *pairs; /* owned; only a and b are set */
};
void ts_pce_shares_init(struct ts_pce_shares *shares, const struct ts_pce_basis *basis, const size_t *terms,
                        size_t term_count, const size_t *group_of, size_t name_count);
void ts_pce_shares_release(struct ts_pce_shares *shares);
/* S1 and ST of each name in turn, then S2 of each pair; NaN if all coefficients are zero. `coefficients` starts with
 * the constant. */
void ts_pce_shares_sum(const struct ts_pce_shares *shares, const double *coefficients, double *out);

/* Prediction error of every point by an expansion chosen and fitted without it and a fifth of the others: like the
 * chosen one, from the same candidates. Unlike the leave-one-out error it pays for the choice of terms too. Weights are
 * divided out. The sum of squares over the variance of the output is returned. */
double ts_pce_cross_validate(const struct ts_pce_data *data, const struct ts_pce_basis *basis, uint64_t seed,
                             struct ts_pce_matrix *scratch, double *errors);

/* An expansion: candidates, and what was chosen from them. */
struct ts_pce_expansion {
  struct ts_pce_basis basis;
  struct ts_pce_choice choice;
  size_t degree;
  double q;
};
struct ts_pce_search {
  struct ts_pce_data *data;     /* borrowed */
  struct ts_pce_fit fit;        /* of the best, when the search is over */
  struct ts_pce_matrix matrix;  /* room for basis_limit columns */
  struct ts_pce_expansion best; /* least corrected leave-one-out error */
  double cross_validation;      /* its error */
  double *errors;               /* owned; its cross-validation error at every point */
  struct ts_pce_axis *focus;    /* owned array, what it points to is borrowed; degree_limit 0: takes no part */
  size_t basis_limit, degree_limit;
  bool capped; /* a basis was too large to be tried in full */
};
/* `degree`: the largest to try. Tabulates the data. */
void ts_pce_search_init(struct ts_pce_search *search, struct ts_pce_data *data, size_t degree);
void ts_pce_search_run(struct ts_pce_search *search, uint64_t seed);
void ts_pce_search_release(struct ts_pce_search *search);

/* x'y in a fixed order of additions that the processor can overlap. */
double ts_pce_dot(const double *x, const double *y, size_t count);

#endif
