"""Writes the two observed series of this project; run it to see that they are what the README says.

SPDX-License-Identifier: Apache-2.0
"""
import math
import pathlib

SERIES = {"north": (100, 0.40, 5, 7.0, 0.0), "south": (92, 0.37, 5, 5.0, 1.0)}

for name, (amplitude, rate, background, pitch, phase) in SERIES.items():
    lines = ["t,y"]
    for k in range(40):
        t = k / 4
        y = amplitude * math.exp(-rate * t) + background + 0.8 * math.sin(pitch * t + phase)
        lines.append(f"{t:g},{y:.3f}")
    pathlib.Path(__file__).with_name(name + ".csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
