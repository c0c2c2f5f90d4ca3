#!/usr/bin/env python3
"""Scores of a cohort of real images in three made-up groups, against an independent computation with scikit-image and numpy
from the masks that a run wrote: per slide, per group and over the cohort, to 1e-9; and a truth of polygons scores as its mask,
rasterised here, does.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.groups)

Objects found are 8-connected components as scikit-image labels them, objects of the truth are its labels; what they share is
scikit-image's contingency table. Polygons are traced by scikit-image, simplified, and moved by eighths of a pixel; numpy fills
them by the even-odd rule at the centres of pixels, in integers, with the rule for edges of docs/workflow-file.md.
"""
import json
import math
import statistics

import _support as support
from _support import call_json, check, equal, say

try:
    import numpy as np
    import PIL.Image
    import skimage.draw
    import skimage.io
    import skimage.measure
    import skimage.metrics
except ImportError as missing:
    support.skip(f"there is no scikit-image ({missing}); make setup installs it")

COHORT = support.SHARED / "data/histology/dsb2018"
WORKFLOW = support.ROOT / "workflows/nuclei/workflow.json"
SETTINGS = ("-p", "G1=20", "-p", "G2=10")
GROUPS = {"site": ("north", "south", "west")}
TILE = 128
STEPS = 8  # parts of a pixel in which polygons are given
PIXEL_SCORES = ("dice", "jaccard", "pixel_precision", "pixel_recall")
OBJECT_SCORES = ("precision", "recall", "f1", "aji", "pq")
COUNTS = ("found", "reference", "matched", "diff")


# ---- scores ----

def ratio(above, below):
    """Nothing of nothing is agreement."""
    return above / below if below else 1.0


def pixel_scores(found, truth):
    both, either = np.sum(found & truth), np.sum(found | truth)
    return {"dice": ratio(2 * both, found.sum() + truth.sum()), "jaccard": ratio(both, either),
            "pixel_precision": ratio(both, found.sum()), "pixel_recall": ratio(both, truth.sum()),
            "diff": int(np.sum(found ^ truth))}


def object_scores(found, truth):
    """Two images of labels without gaps; matches by IoU above a half, Kumar's aggregated index and Kirillov's quality."""
    shared = np.asarray(skimage.metrics.contingency_table(truth, found).todense())
    # The table counts shares of all pixels from scikit-image 0.20 on, pixels before.
    shared = np.rint(shared * (truth.size if shared.sum() < 1.5 else 1)).astype(np.int64)[1:, 1:]
    truth_px, found_px = np.bincount(truth.ravel())[1:], np.bincount(found.ravel())[1:]
    iou = shared / (truth_px[:, None] + found_px[None, :] - shared)
    matched = iou > 0.5
    true_positives, false_positives = matched.sum(), len(found_px) - matched.any(axis=0).sum()
    false_negatives = len(truth_px) - matched.any(axis=1).sum()
    best = iou.argmax(axis=1)
    has_best = iou.max(axis=1) > 0
    common = sum(shared[i, best[i]] for i in np.flatnonzero(has_best))
    joined = sum(truth_px[i] + found_px[best[i]] - shared[i, best[i]] for i in np.flatnonzero(has_best))
    joined += truth_px[~has_best].sum() + np.delete(found_px, best[has_best]).sum()
    return {"precision": ratio(true_positives, true_positives + false_positives),
            "recall": ratio(true_positives, true_positives + false_negatives),
            "f1": ratio(true_positives, true_positives + 0.5 * false_positives + 0.5 * false_negatives),
            "aji": ratio(common, joined), "found": len(found_px), "reference": len(truth_px), "matched": int(true_positives),
            "pq": ratio(iou[matched].sum(), true_positives + 0.5 * false_positives + 0.5 * false_negatives)}


def without_gaps(labels):
    return np.unique(labels, return_inverse=True)[1].reshape(labels.shape)


def slide_scores(folder, truth):
    """Truth: labels, or a mask of zeros and ones."""
    found = skimage.io.imread(folder / "segment.mask.png") > 0
    objects = without_gaps(truth) if truth.dtype != bool else skimage.measure.label(truth, connectivity=2)
    return {**pixel_scores(found, truth > 0), **object_scores(skimage.measure.label(found, connectivity=2), objects)}


# ---- polygons ----

def outline(labels, number):
    """Rings of an object in eighths of a pixel, x before y, the first corner repeated at the end."""
    rings = []
    for contour in skimage.measure.find_contours(np.pad(labels == number, 1).astype(float), 0.5):
        ring = skimage.measure.approximate_polygon(contour, 0.7)
        # A contour is in centres of the padded image's pixels: the centre of pixel 0 is 1 there and 0.5 in polygons.
        ring = np.rint((ring[:, ::-1] - 0.5) * STEPS).astype(np.int64) + [number % 5 - 2, number % 3 - 1]
        if len(ring) > 3:
            rings.append(ring)
    return rings


def fill(rings, shape):
    """Pixels whose centre is inside: an odd number of edges crosses its row at or left of it. All is in integers."""
    points = np.concatenate(rings)
    left, top = np.maximum(points.min(axis=0) // STEPS, 0)
    right, bottom = points.max(axis=0) // STEPS + 1
    right, bottom = min(right, shape[1]), min(bottom, shape[0])
    y, x = np.mgrid[top:bottom, left:right]
    centre_y, centre_x = y * STEPS + STEPS // 2, x * STEPS + STEPS // 2
    crossings = np.zeros(y.shape, dtype=int)
    for ring in rings:
        for start, end in zip(ring[:-1], ring[1:]):
            (ax, ay), (bx, by) = (start, end) if start[1] <= end[1] else (end, start)
            crosses = (ay <= centre_y) & (centre_y < by)
            crossings += crosses & ((bx - ax) * (centre_y - ay) <= (centre_x - ax) * (by - ay))
    inside = np.zeros(shape, dtype=bool)
    inside[top:bottom, left:right] = crossings % 2 == 1
    return inside


def check_fill(rings, inside, name):
    """scikit-image's own filling agrees, but for centres on an edge, of which it takes both sides."""
    other = np.zeros(inside.shape, dtype=bool)
    for ring in rings:
        corners = ring[:-1, ::-1] / STEPS - 0.5
        other ^= skimage.draw.polygon2mask(inside.shape, corners)
    differs = np.argwhere(other != inside)
    for row, column in differs:
        centre = np.array([column, row]) * STEPS + STEPS // 2
        on_edge = any(np.cross(b - a, centre - a) == 0 and (a - centre) @ (b - centre) <= 0
                      for ring in rings for a, b in zip(ring[:-1], ring[1:]))
        check(on_edge, f"{name}: scikit-image fills pixel {column},{row} otherwise")


def truth_of_polygons(labels, path):
    """Writes the outlines of all objects and returns the labels that they have as features: the last one wins."""
    drawn, features = np.zeros(labels.shape, dtype=np.uint16), []
    for number in range(1, labels.max() + 1):
        rings = outline(labels, number)
        if not rings:
            continue
        inside = fill(rings, labels.shape)
        if number % 10 == 0:
            check_fill(rings, inside, f"{path.name}, object {number}")
        features.append({"type": "Feature", "properties": {"objectType": "annotation"}, "geometry": {
            "type": "MultiPolygon", "coordinates": [[(ring / STEPS).tolist()] for ring in rings]}})
        drawn[inside] = len(features)
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return drawn


# ---- the cohort ----

def make_cohort(folder):
    """Images, labels and groups by name; the truth in four forms: as it is, polygons, and these as labels and as a mask."""
    rows = {}
    for number, image in enumerate(sorted(path for path in COHORT.glob("*.png") if "_labels" not in path.name)):
        labels = without_gaps(skimage.io.imread(COHORT / f"{image.stem}_labels.png"))
        drawn = truth_of_polygons(labels, folder / f"{image.stem}.geojson")
        PIL.Image.fromarray(drawn).save(folder / f"{image.stem}-drawn.png")  # 16 bits are labels, 8 a mask
        PIL.Image.fromarray(np.where(drawn, 255, 0).astype(np.uint8)).save(folder / f"{image.stem}-mask.png")
        rows[image.stem] = {"image": image, "site": GROUPS["site"][number % 3], "labels": labels, "drawn": drawn,
                            "mask": drawn > 0}
    return rows


def write_study(folder, rows, name, truth, reference_type="mask|labels", tile=0):
    """`truth`: the file of a slide."""
    workflow = json.loads(WORKFLOW.read_text(encoding="utf-8"))
    workflow["inputs"]["reference"]["type"] = reference_type
    (folder / f"{name}-workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    lines = [f"{row['image']},{truth.format(stem)},{row['site']}" for stem, row in rows.items()]
    (folder / f"{name}.csv").write_text("\n".join(["image,reference,site", *lines]) + "\n", encoding="utf-8")
    study = {"tessera": 1, "name": name, "workflow": f"{name}-workflow.json", "reference": "truth",
             "data": {"manifest": f"{name}.csv", "tile": tile, "halo": 64 if tile else 0, "groups": ["site"]},
             "outputs": ["compare.table:dice"]}
    (folder / f"{name}.json").write_text(json.dumps(study), encoding="utf-8")


def run(folder, rows, name, truth, **more):
    write_study(folder, rows, name, truth, **more)
    return call_json("run", "-C", folder, f"{name}.json", "-o", name, *SETTINGS)


def close(found, wanted, what):
    check(isinstance(found, (int, float)) and math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9),
          f"{what}: {found!r}, not {wanted!r}")


def check_reply(reply, slides, rows, names, what):
    """`slides`: scores by name of a file. The number of a group is the mean of its slides, of what is counted the sum."""
    equal([row["file"] for row in reply["quality"]], list(slides), f"{what}: files")
    for row in reply["quality"]:
        for name in names:
            close(row["values"].get(name), slides[row["file"]][name], f"{what}: {row['file']}, {name}")
    of_group = {value: [stem for stem in slides if rows[stem]["site"] == value] for value in GROUPS["site"]}
    equal({row["value"]: row["files"] for row in reply["by_group"]}, {value: len(own) for value, own in of_group.items()},
          f"{what}: groups")
    parts = [(f"site {row['value']}", row, of_group[row["value"]]) for row in reply["by_group"]]
    for place, row, own in [("cohort", reply["quality_over_files"][0], list(slides)), *parts]:
        for name in names:
            numbers = [slides[stem][name] for stem in own]
            close(row["values"].get(name), sum(numbers) if name in COUNTS else statistics.fmean(numbers),
                  f"{what}: {place}, {name}")


def check_same(found, wanted, what):
    """Everything that two replies say about scores, intervals too."""
    for key in ("quality", "quality_over_files", "by_group"):
        equal(len(found[key]), len(wanted[key]), f"{what}: {key}")
        for row, other in zip(found[key], wanted[key]):
            differ = sorted(name for name in row.keys() | other.keys() if row.get(name) != other.get(name))
            check(not differ, f"{what}: {key} {row.get('file', row.get('value', ''))} differ in {differ}: "
                  f"{[(row.get(name), other.get(name)) for name in differ]}"[:600])


def main():
    support.need_program()
    support.need_shared("data/histology/dsb2018")
    folder = support.scratch()
    rows = make_cohort(folder)
    all_names = PIXEL_SCORES + OBJECT_SCORES + COUNTS

    labels = run(folder, rows, "labels", str(COHORT / "{}_labels.png"))
    slides = {stem: slide_scores(folder / "labels" / stem, row["labels"]) for stem, row in rows.items()}
    check(len({round(s["pq"], 6) for s in slides.values()}) > 8, f"slides do not differ: {slides}")
    check_reply(labels, slides, rows, all_names, "labels")

    for name, reference_type, truth, image in (("labels", "mask|labels", "drawn", "{}-drawn.png"),
                                               ("mask", "mask", "mask", "{}-mask.png")):
        polygons = run(folder, rows, f"polygons-{name}", "{}.geojson", reference_type=reference_type)
        raster = run(folder, rows, f"raster-{name}", image, reference_type=reference_type)
        check_same(polygons, raster, f"polygons and their {name}")
        other = {stem: slide_scores(folder / f"polygons-{name}" / stem, row[truth]) for stem, row in rows.items()}
        check(any(other[stem]["diff"] != slides[stem]["diff"] for stem in other), "polygons do not differ from the labels")
        check_reply(polygons, other, rows, all_names, f"polygons as {name}")

    tiles = run(folder, rows, "tiles", "{}.geojson", tile=TILE)
    cut = {stem: slide_scores(folder / "tiles" / stem, row["drawn"]) for stem, row in rows.items()}
    check_reply(tiles, cut, rows, all_names, f"tiles of {TILE}: objects are joined before they are compared")
    for row in labels["by_group"]:
        say(f"{row['value']}: " + ", ".join(f"{name} {row['values'][name]:.4f}" for name in ("dice", "aji", "pq")))
    support.finish()


main()
