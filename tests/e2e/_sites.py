"""A small cohort whose sites differ in what decides: slides of boxes, segmented by the smallest and the largest size to keep.

SPDX-License-Identifier: Apache-2.0

A slide's truth is all its boxes, so Dice follows from the areas of the boxes that are kept: no image is looked at here.
"""
import json

from _masks import write_png

SIZES = {"minSizeSeg": (0, 60), "maxSizeSeg": (100, 300)}  # the two values of each parameter
SLIDES = {"a": ("north", [(2, 2, 6, 6), (12, 2, 7, 7), (2, 14, 5, 6)]), "b": ("north", [(2, 2, 6, 6), (12, 2, 7, 7), (30, 2, 12, 12)]),
          "c": ("south", [(2, 2, 14, 14), (20, 2, 12, 12), (40, 2, 6, 6)]), "d": ("north", [(2, 2, 6, 7), (12, 2, 9, 9), (30, 2, 5, 5)]),
          "e": ("east", [(2, 2, 12, 12), (20, 2, 9, 9), (40, 3, 6, 6)])}
WORKFLOW = {
    "tessera": 1, "name": "sites", "inputs": {"found": {"type": "mask"}, "reference": {"type": "mask"}},
    "parameters": {name: {"type": "integer", "domain": [0, 200000], "grid": list(grid), "default": grid[0] if name[:3] == "min" else grid[1]}
                   for name, grid in SIZES.items()},
    "stages": [
        {"name": "segment", "per": "tile", "in": {"mask": "found"}, "out": {"mask": "size.mask"},
         "tasks": [{"name": "size", "op": "nuclei.final_size", "in": {"split": "mask"},
                    "params": {"minSizeSeg": "minSizeSeg", "maxSizeSeg": "maxSizeSeg", "FH": {"value": 4}}}]},
        {"name": "compare", "per": "tile", "in": {"mask": "segment.mask", "reference": "reference"},
         "out": {"table": "scores.table"},
         "tasks": [{"name": "scores", "op": "nuclei.compare", "in": {"mask": "mask", "reference": "reference"}}]}]}
DICE = "compare.table:dice"
WIDTH, HEIGHT = 64, 32


def dice(slide, least, most):
    """Boxes from `least` up to but not including `most` pixels are kept; two empty masks are equal."""
    areas = [wide * high for _, _, wide, high in SLIDES[slide][1]]
    kept = sum(area for area in areas if least <= area < most)
    return 2 * kept / (kept + sum(areas))


def draw(boxes):
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    for x, y, wide, high in boxes:
        for row in rows[y:y + high]:
            row[x:x + wide] = b"\xff" * wide
    return b"".join(map(bytes, rows))


def write_project(folder, columns=None, data=None, outputs=(DICE,), method=None):
    """`columns`: further columns of the manifest, by name a function of the slide's name."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"site": lambda slide: SLIDES[slide][0], **(columns or {})}
    manifest = [",".join(["found", "reference", *columns])]
    for name, (_, boxes) in SLIDES.items():
        for path in (folder / f"{name}.png", folder / f"{name}-truth.png"):
            write_png(path, WIDTH, HEIGHT, 1, draw(boxes))
        manifest.append(",".join([f"{name}.png", f"{name}-truth.png", *(column(name) for column in columns.values())]))
    (folder / "data.csv").write_text("\n".join(manifest) + "\n", encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    study = {"tessera": 1, "name": "sites", "workflow": "workflow.json",
             "data": {"manifest": "data.csv", "groups": ["site"], **(data or {})}, "outputs": list(outputs),
             "method": method or {"name": "morris", "trajectories": 6, "levels": 4}}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder
