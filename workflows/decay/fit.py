"""Fits y = amplitude * exp(-rate * t) + background to a series by the Gauss-Newton method; a tessera command.

SPDX-License-Identifier: Apache-2.0

The last argument is the path of a call.json that names the input and output files and the parameters.
"""
import csv
import json
import math
import sys


def solve(matrix, right):
    """Solves a small linear system by elimination with pivots."""
    size = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(rows[r][column]))
        if rows[pivot][column] == 0:
            sys.exit("the series does not determine the parameters")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r in range(column + 1, size):
            factor = rows[r][column] / rows[column][column]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column])]
    solution = [0.0] * size
    for r in reversed(range(size)):
        rest = sum(rows[r][c] * solution[c] for c in range(r + 1, size))
        solution[r] = (rows[r][size] - rest) / rows[r][r]
    return solution


def start(points):
    """A first guess: the rate from the time in which the series loses half of its range."""
    low, high = min(y for _, y in points), max(y for _, y in points)
    half = next((t for t, y in points if y <= (low + high) / 2 and t > 0), points[-1][0])
    return [high - low, math.log(2) / half, low]


def fit(points, with_background, iterations):
    """Returns amplitude, rate, background and how many rounds it took."""
    guess = start(points)
    size = 3 if with_background else 2
    if not with_background:
        guess[2] = 0.0
    rounds = 0
    for rounds in range(1, iterations + 1):
        normal = [[0.0] * size for _ in range(size)]
        right = [0.0] * size
        for t, y in points:
            decay = math.exp(-guess[1] * t)
            gradient = [decay, -guess[0] * t * decay, 1.0][:size]
            residual = y - (guess[0] * decay + guess[2])
            for i in range(size):
                right[i] += gradient[i] * residual
                for j in range(size):
                    normal[i][j] += gradient[i] * gradient[j]
        change = solve(normal, right)
        for i in range(size):
            guess[i] += change[i]
        if all(abs(change[i]) <= 1e-9 * (abs(guess[i]) + 1e-9) for i in range(size)):
            break
    return guess, rounds


def main():
    with open(sys.argv[-1], encoding="utf-8") as file:
        call = json.load(file)
    parameters = call["parameters"]
    with open(call["inputs"]["series"]["path"], encoding="utf-8", newline="") as file:
        points = [(float(row["t"]), float(row["y"])) for row in csv.DictReader(file)]
    points = [point for point in points if point[1] >= parameters["floor"]]
    if len(points) < 4:
        sys.exit(f"{len(points)} rows are too few to fit; lower the floor")
    (amplitude, rate, background), rounds = fit(points, parameters["model"] == "background", parameters["iterations"])
    squares = sum((y - amplitude * math.exp(-rate * t) - background) ** 2 for t, y in points)
    with open(call["outputs"]["table"]["path"], "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["amplitude", "rate", "background", "rounds", "rmse"])
        writer.writerow([amplitude, rate, background, rounds, math.sqrt(squares / len(points))])


main()
