#!/usr/bin/env python3
"""A truth of polygons: GeoJSON with the outlines of a label image scores as the label image does, to the last digit; a file as
QuPath writes it has the pixels that exact arithmetic gives; faults name their place.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)

Outlines are traced here along the edges of pixels, pixels are filled here by the even-odd rule in fractions.
"""
import fractions
import json
import re
import struct
import subprocess
import uuid
import zlib

import _support as support
from _support import call, call_json, check, equal, say

EDGE_PX = 320
COPY = '''import json, shutil, sys
call = json.load(open(sys.argv[-1]))
shutil.copyfile(call["inputs"]["labels"]["path"], call["outputs"]["labels"]["path"])
'''
COPY_OPERATION = {"tessera_operation": 1, "name": "test.copy", "version": 1, "command": ["python3", "-I", "copy.py"],
                  "files": ["copy.py"], "complete": True, "inputs": {"labels": {"type": "labels"}},
                  "outputs": {"labels": {"type": "labels"}}}
COPY_STAGE = {"name": "copy", "per": "file", "in": {"reference": "reference"}, "out": {"labels": "copy.labels"},
              "tasks": [{"name": "copy", "op": "test.copy", "in": {"labels": "reference"}}]}


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def vips(*words):
    subprocess.run(["vips", *map(str, words)], check=True)


def read_labels(path):
    """Rows of numbers."""
    width, height, channels, bits, data = support.read_png(path)
    equal(channels, 1, f"channels of {path}")
    size = bits // 8
    return [[int.from_bytes(data[(y * width + x) * size:(y * width + x + 1) * size], "big") for x in range(width)]
            for y in range(height)]


def write_labels(path, labels):
    """16 bits; numbered without gaps, as features are."""
    rows = b"".join(b"\0" + struct.pack(f">{len(row)}H", *row) for row in labels)
    head = struct.pack(">IIBBBBB", len(labels[0]), len(labels), 16, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks))


def outlines(labels):
    """Per label its rings along the edges of its pixels, clockwise around it, corners only."""
    height, width = len(labels), len(labels[0])
    edges = {}

    def at(x, y):
        return labels[y][x] if 0 <= x < width and 0 <= y < height else 0

    for y in range(height):
        for x in range(width):
            label = labels[y][x]
            sides = (((x, y), (x + 1, y), at(x, y - 1)), ((x + 1, y), (x + 1, y + 1), at(x + 1, y)),
                     ((x + 1, y + 1), (x, y + 1), at(x, y + 1)), ((x, y + 1), (x, y), at(x - 1, y)))
            for start, end, beyond in sides:
                if label and beyond != label:
                    edges.setdefault(label, {}).setdefault(start, []).append(end)
    return {label: trace(edges[label]) for label in sorted(edges)}


def trace(ends):
    rings = []
    while ends:
        start = next(iter(ends))
        ring, here = [start], start
        while True:
            following = ends[here].pop()
            if not ends[here]:
                del ends[here]
            here = following
            if here == start:
                break
            ring.append(here)
        corners = [point for before, point, after in zip(ring[-1:] + ring[:-1], ring, ring[1:] + ring[:1])
                   if (point[0] - before[0]) * (after[1] - point[1]) != (point[1] - before[1]) * (after[0] - point[0])]
        rings.append([list(point) for point in corners + corners[:1]])
    return rings


def area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def geometry(rings):
    """A polygon with its holes, or several polygons; of those each ring is one, as parity makes holes of inner ones."""
    outer = [ring for ring in rings if area(ring) > 0]
    if len(outer) == 1:
        return {"type": "Polygon", "coordinates": outer + [ring for ring in rings if area(ring) < 0]}
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}


def feature(shape, number):
    """As QuPath writes a detection."""
    return {"type": "Feature", "id": str(uuid.UUID(int=number)), "geometry": shape,
            "properties": {"objectType": "detection", "classification": {"name": "Nucleus", "color": [200, 0, 0]},
                           "measurements": {"Area px^2": float(number), "Solidity": float("nan")}}}


def scaled(rings, factor):
    return [[[x * factor, y * factor] for x, y in ring] for ring in rings]


def write_truth(path, rings_of, factor=1, bare=False):
    features = [feature(geometry(scaled(rings, factor)), label) for label, rings in rings_of.items()]
    write_json(path, features if bare else {"type": "FeatureCollection", "features": features})


def make_project():
    """A part of the demo's slide; of its truth, some objects are joined and others get holes of one pixel."""
    project = support.scratch() / "project"
    call("init", "--demo", "nuclei", project)
    for name in ("slide.png", "truth.png"):
        vips("crop", project / name, project / f"cut-{name}", 0, 0, EDGE_PX, EDGE_PX)
    labels = read_labels(project / "cut-truth.png")
    numbers = {label: (9 * i + 9) // 10 for i, label in enumerate(sorted({label for row in labels for label in row} | {0}))}
    labels = [[numbers[label] for label in row] for row in labels]
    for y in range(1, EDGE_PX - 1):
        for x in range(1, EDGE_PX - 1):
            around = {labels[y + dy][x + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)}
            if len(around) == 1 and labels[y][x] % 3 == 0:
                labels[y][x] = 0
    write_labels(project / "cut-truth.png", labels)
    rings_of = outlines(labels)
    check(len(rings_of) > 20, f"the truth has {len(rings_of)} objects")
    holes = sum(area(ring) < 0 for rings in rings_of.values() for ring in rings)
    say(f"{len(rings_of)} objects, {holes} holes")
    return project, rings_of


def write_study(project, name, rows, level=0, tile=128, **more):
    (project / f"{name}.csv").write_text("image,reference\n" + rows, encoding="utf-8")
    study = json.loads((project / "study.json").read_text(encoding="utf-8"))
    study["data"] = {"manifest": f"{name}.csv", "tile": tile, "halo": 16, "level": level}
    study["method"] = {"name": "morris", "trajectories": 2, "levels": 4, "seed": 1}
    study["parameters"] = ["G1", "G2"]
    study["outputs"] = [f"compare.table:{column}" for column in ("dice", "aji", "pq", "f1", "diff")]
    study["reference"] = "truth"
    study.update(more)
    write_json(project / f"{name}.json", study)


def results(project, name, *words):
    reply = call_json("study", "-C", project, f"{name}.json", "-o", name, *words)
    texts = [(project / name / file).read_text(encoding="utf-8") for file in ("results.csv", "results-by-file.csv")]
    return reply, texts


def check_scores(project, rings_of):
    """The label image, and its outlines in three ways to name them, in one store: what was compared is not again."""
    write_truth(project / "outlines.geojson", rings_of)
    write_truth(project / "bare.json", rings_of, bare=True)
    write_study(project, "image", "cut-slide.png,cut-truth.png\n")
    write_study(project, "polygons", "cut-slide.png,outlines.geojson\n")
    write_study(project, "list", "cut-slide.png,bare.json\n", tile=100)
    _, wanted = results(project, "image", "--store", "store")
    reply, found = results(project, "polygons", "--store", "store")
    equal(found, wanted, "scores against outlines")
    equal(sum(support.executed(reply).values()), 0, "tasks executed for outlines of the same pixels")
    equal(results(project, "polygons", "--store", "workers", "--workers", 2)[1], wanted, "scores with workers")
    write_study(project, "image-100", "cut-slide.png,cut-truth.png\n", tile=100)
    equal(results(project, "list", "--store", "memory")[1], results(project, "image-100", "--store", "memory")[1],
          "scores against a list of features, with other tiles")


def check_files(project):
    """Polygons as the files of a study's reference: a name, a folder."""
    (project / "truths").mkdir()
    (project / "truths/cut-slide.geojson").write_bytes((project / "outlines.geojson").read_bytes())
    wanted = results(project, "polygons", "--store", "memory")[1]
    for entry in ("outlines.geojson", "truths"):
        data = {"files": ["cut-slide.png"], "tile": 128, "halo": 16, "level": 0}
        write_study(project, "files", "", data=data, reference={"files": [entry]})
        equal(results(project, "files", "--store", "memory")[1], wanted, f"scores against the files '{entry}'")


def check_level(project, rings_of):
    """Twice as large with each pixel repeated: at level 1 everything is as before."""
    for name in ("slide", "truth"):
        vips("zoom", project / f"cut-{name}.png", project / f"{name}-2.v", 2, 2)
        vips("tiffsave", project / f"{name}-2.v", project / f"{name}-2.tif", "--tile", "--pyramid", "--tile-width", 128,
             "--tile-height", 128, "--region-shrink", "nearest", "--compression", "deflate")
    write_truth(project / "outlines-2.geojson", rings_of, factor=2)
    write_study(project, "level-image", "slide-2.tif,truth-2.tif\n", level=1)
    write_study(project, "level-polygons", "slide-2.tif,outlines-2.geojson\n", level=1)
    equal(results(project, "level-polygons", "--store", "memory")[1],
          results(project, "level-image", "--store", "memory")[1], "scores at level 1")


def even_odd(rings, x, y):
    """Crossings at or left of a point, in fractions."""
    count = 0
    for ring in rings:
        for a, b in zip(ring, ring[1:]):
            (ax, ay), (bx, by) = sorted((a, b), key=lambda point: point[1])
            if ay <= y < by:
                count += ax + (y - ay) * (bx - ax) / (by - ay) <= x
    return count % 2 == 1


def check_pixels(project):
    """Outlines between pixels, self-crossing and overlapping, a hole, through centres."""
    shapes = [[[[10.5, 10.5], [40.5, 10.5], [40.5, 40.5], [10.5, 40.5], [10.5, 10.5]],
               [[20.25, 20.125], [30, 22], [25.75, 33], [20.25, 20.125]]],
              [[[60, 10], [90, 50], [60, 50], [90, 10.75], [60, 10]]],
              [[[30.3, 30.7], [70.1, 35.2], [55.9, 80.4], [30.3, 30.7]]]]
    features = [feature({"type": "Polygon", "coordinates": rings}, i) for i, rings in enumerate(shapes)]
    write_json(project / "shapes.geojson", features)
    (project / "copy.py").write_text(COPY, encoding="utf-8")
    write_json(project / "copy-operation.json", COPY_OPERATION)
    workflow = json.loads((project / "workflow.json").read_text(encoding="utf-8"))
    workflow["operations"] = ["copy-operation.json"]
    workflow["inputs"]["reference"] = {"type": "labels"}
    workflow["stages"].append(COPY_STAGE)
    write_json(project / "copy.json", workflow)
    write_study(project, "shapes", "cut-slide.png,shapes.geojson\n", workflow="copy.json")
    call("run", "-C", project, "shapes.json", "-o", "shapes", "--progress=none")
    found = read_labels(next((project / "shapes").rglob("*labels*.png")))
    exact = [[[[fractions.Fraction(v) for v in point] for point in ring] for ring in rings] for rings in shapes]
    half = fractions.Fraction(1, 2)
    wrong = 0
    for y in range(100):
        for x in range(100):
            inside = [i + 1 for i, rings in enumerate(exact) if even_odd(rings, x + half, y + half)]
            wrong += found[y][x] != (inside[-1] if inside else 0)
    equal(wrong, 0, "pixels that differ from exact arithmetic")
    equal({label for row in found for label in row}, {0, 1, 2, 3}, "labels")


def refused(project, name, text, *parts):
    (project / f"{name}.geojson").write_bytes(text if isinstance(text, bytes) else text.encode())
    write_study(project, name, f"cut-slide.png,{name}.geojson\n")
    run = call("-C", project, "check", f"{name}.json", expect=3)
    said = re.sub(r"\s+", " ", run.stderr)
    for part in parts:
        check(part in said, f"a bad {name}: no {part!r} in\n{run.stderr}")


def check_faults(project):
    square = '{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4]]]}}'
    refused(project, "picture", (project / "cut-truth.png").read_bytes(), "picture.geojson:1:1", "it is an image")
    refused(project, "point", f"[{square},\n" + square.replace("Polygon", "Point") + "]", "point.geojson:2:33",
            "feature 2: its geometry is of type 'Point'")
    refused(project, "empty", "[]", "empty.geojson:1:1", "no features")
    write_study(project, "swapped", "outlines.geojson,cut-slide.png\n")
    run = call("-C", project, "check", "swapped.json", expect=3)
    check("T402" in run.stderr, f"polygons as the image:\n{run.stderr}")
    (project / "far.geojson").write_text(f"[{square},\n" + square.replace("4", "5000").replace("0,", "4000,") + "]",
                                         encoding="utf-8")
    write_study(project, "far", "cut-slide.png,far.geojson\n")
    run = call("-C", project, "check", "far.json")
    said = re.sub(r"\s+", " ", run.stderr + run.stdout)
    check(re.search(r"1 of the 2 features of '\S*far.geojson' lies outside '\S*cut-slide.png'", said), f"one outside:\n{said}")


def main():
    support.need_program()
    project, rings_of = make_project()
    check_scores(project, rings_of)
    check_files(project)
    check_level(project, rings_of)
    check_pixels(project)
    check_faults(project)
    say("scores, workers, files, levels, pixels, faults")
    support.finish()


main()
