#!/usr/bin/env python3
"""Regret of five samples, a double exponential and one check on random curves: an implementation of its own, with numpy.

SPDX-License-Identifier: Apache-2.0

Shows what the method itself can do, whoever writes it: unit.tune.one_parameter has the same families and the figures of
src/tune/one_parameter.c. Differs from it where it can: the rates come from one dense grid, the amplitudes from a scan of
the three possible active sets, the minimum from a look at every integer; the rules for curves that do not fit are left out.
Needs python3-numpy. usage: one_parameter.py [TRUTHS [SEED]]
"""
import sys

try:
    import numpy as np
except ImportError:
    print("SKIP: python3-numpy is not installed")
    sys.exit(77)

LOW, HIGH, NOISE, REPEATS = 2, 100, 0.01, 3
X = np.arange(LOW, HIGH + 1)
SAMPLES = np.array([2, 27, 51, 76, 100])  # uniform, halves up (26.5, 75.5)
GRID = 160  # rates on each axis; with 320 no figure below changed by more than 0.04 %

# Constants are log-uniform between these, chosen before anything was measured: three decades of 1/x + linear, a factor of 100 of
# each amplitude of exponentials, lengths from 3 % to 60 % (rising: 40 %; falling alone: 200 %) of the range.
FAMILIES = {
    "cache reuse + memory pressure": (((0.1, 10), (3, 60), (0.05, 5), (3, 40)),
                                      lambda p, x: 1 + p[0] * np.exp(-x / p[1]) + p[2] * np.exp((x - 100) / p[3])),
    "1/x + linear": (((0.1, 100), (0.0005, 0.05)), lambda p, x: 1 + p[0] / x + p[1] * x),
    "monotone": (((0.1, 10), (3, 200)), lambda p, x: 1 + p[0] * np.exp(-x / p[1])),
}


def terms(rates, rising, x):
    """exp of a rate times t, or of a rate times t - 1, for every rate and every x."""
    t = (np.asarray(x, float) - LOW) / (HIGH - LOW)
    return np.exp(np.outer(rates, t - 1 if rising else -t))


B, D = np.geomspace(0.05, 80, GRID), np.geomspace(0.02, 60, GRID)
FALLING, RISING = terms(B, False, SAMPLES), terms(D, True, SAMPLES)


def fit(y):
    """Amplitudes and rates of the least relative squares, amplitudes not negative; the curve at every integer."""
    e, f = FALLING / y, RISING / y
    ee, ff, ef = (e * e).sum(1)[:, None], (f * f).sum(1)[None, :], e @ f.T
    e1, f1 = e.sum(1)[:, None], f.sum(1)[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        det = ee * ff - ef * ef
        a, c = (e1 * ff - f1 * ef) / det, (f1 * ee - e1 * ef) / det
        both = np.where((a >= 0) & (c >= 0) & (det > 1e-12 * ee * ff), len(y) - a * e1 - c * f1, np.inf)
    alone_e, alone_f = len(y) - (e1 * e1 / ee)[:, 0], len(y) - (f1 * f1 / ff)[0]
    best = min(both.min(), alone_e.min(), alone_f.min())
    if best == both.min():
        i, j = np.unravel_index(both.argmin(), both.shape)
        return a[i, j] * terms([B[i]], False, X)[0] + c[i, j] * terms([D[j]], True, X)[0]
    if best == alone_e.min():
        i = alone_e.argmin()
        return (e1 / ee)[i, 0] * terms([B[i]], False, X)[0]
    j = alone_f.argmin()
    return (f1 / ff)[0, j] * terms([D[j]], True, X)[0]


def regret(truth, random):
    """Of the faster of the minimum of the curve and the best sample, as measured; the truth decides what it was worth."""
    def measure(x):
        return np.median(truth(np.asarray(x, float))[:, None] * (1 + NOISE * random.standard_normal((len(x), REPEATS))), axis=1)
    y = measure(SAMPLES)
    minimum = X[fit(y).argmin()]
    best = SAMPLES[y.argmin()]
    if minimum not in SAMPLES and measure([minimum])[0] < y.min():
        best = minimum
    return truth(float(best)) / truth(X.astype(float)).min() - 1


def main():
    truths = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for name, (ranges, curve) in FAMILIES.items():
        found = []
        for _ in range(truths):
            p = [low * (high / low) ** random.random() for low, high in ranges]
            found.append(regret(lambda x, p=p: curve(p, x), random))
        print(f"{name}: median {100 * np.median(found):.2f} %, p90 {100 * np.quantile(found, 0.9):.2f} % of {truths} truths")


main()
