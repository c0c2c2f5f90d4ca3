#!/usr/bin/env python3
"""The folder of a run on a slide: few files, a table and outlines whose ids join without loss and are the same every time; an
image above 16,384 pixels as an OME-TIFF that other programs open.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.tissue)

Outlines are counted and filled here (shoelace formula), and the pixels of the large mask follow from where the boxes of the image
were put; libvips and tifffile read them independently.
"""
import collections
import csv
import json
import subprocess
import uuid

import _support as support
from _masks import components, write_png
from _support import call, call_json, check, equal, say

SLIDE = support.SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"
SLIDE_SIZE = (2220, 2967)
NUCLEI = support.ROOT / "workflows/nuclei/workflow.json"
MOST_FILES = 8
WHOLE_COUNT = 1743  # counted by other software on the whole image, normalised as one
COPY = {
    "tessera": 1, "name": "copy", "inputs": {"mask": {"type": "mask"}},
    "parameters": {"least": {"type": "integer", "default": 0}},
    "stages": [{"name": "keep", "per": "tile", "in": {"mask": "mask"}, "out": {"mask": "size.mask"},
                "tasks": [{"name": "size", "op": "nuclei.final_size", "in": {"split": "mask"},
                           "params": {"minSizeSeg": "least", "maxSizeSeg": {"value": 200000}, "FH": {"value": 4}}}]}]}
WIDE, HIGH = 17000, 300
BOXES = [(0, 0, 5, 7), (16380, 10, 9, 9), (16990, 290, 10, 10), (511, 100, 2, 3), (8000, 0, 3, 300), (12345, 150, 40, 1)]


def check_record(folder):
    """run.json has the form that its schema promises, and lists the files that are there."""
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    record = json.loads((folder / "run.json").read_text("utf-8"))
    schema = json.loads((support.ROOT / "docs/schema/run-folder.schema.json").read_text("utf-8"))
    faults = [fault.message for fault in jsonschema.Draft202012Validator(schema).iter_errors(record)]
    equal(faults, [], "run.json against its schema")
    there = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    equal(sorted([*record["files"], "run.json"]), there, "files that run.json lists")


# ---- a slide ----

def ring_area(ring):
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:])) / 2


def feature_area(geometry):
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return sum(abs(ring_area(polygon[0])) - sum(abs(ring_area(hole)) for hole in polygon[1:]) for polygon in polygons)


def read_objects(folder):
    """Header and rows of the table; features."""
    tables, outlines = sorted(folder.rglob("features.table*.csv")), sorted(folder.rglob("*.geojson"))
    equal((len(tables), len(outlines)), (1, 1), f"tables and outlines in {folder.name}")
    with open(tables[0], encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [dict(zip(rows[0], row)) for row in rows[1:]], json.loads(outlines[0].read_text("utf-8"))["features"]


def check_join(folder):
    """A row for every outline and an outline for every row, of the same pixels; the ids."""
    header, rows, features = read_objects(folder)
    equal(header[:4], ["file", "id", "x", "y"], "first columns of the table")
    ids, names = [row["id"] for row in rows], [feature["id"] for feature in features]
    check(len(ids) > 1000, f"only {len(ids)} objects")
    equal([name for name, count in collections.Counter(ids).items() if count > 1][:3], [], "ids twice in the table")
    equal([name for name, count in collections.Counter(names).items() if count > 1][:3], [], "ids twice in the GeoJSON")
    equal(sorted(set(ids) ^ set(names))[:3], [], "ids in the table or the GeoJSON alone")
    equal([name for name in ids if str(uuid.UUID(name)) != name][:3], [], "ids that are not UUIDs")
    areas = {feature["id"]: feature_area(feature["geometry"]) for feature in features}
    wrong = [row["id"] for row in rows if float(row["area"]) != areas.get(row["id"])]
    equal(wrong[:3], [], f"{len(wrong)} objects whose outline has another area than their row")
    wrong = [feature["id"] for feature, row in zip(features, rows)
             if feature["properties"].get("objectType") != "detection"
             or feature["properties"].get("measurements", {}).get("area") != float(row["area"])]
    equal(wrong[:3], [], f"{len(wrong)} features that are not measured detections in the order of the table")
    equal({row["file"] for row in rows}, {SLIDE.stem}, "column file")
    check(all(0 <= float(row["x"]) <= SLIDE_SIZE[0] and 0 <= float(row["y"]) <= SLIDE_SIZE[1] for row in rows),
          "middles outside the slide")
    return ids, sum(areas.values())


def foreground(path):
    """Pixels of a mask that are not 0, as libvips counts them."""
    text = subprocess.run(["vips", "avg", str(path)], check=True, capture_output=True, text=True).stdout
    return round(float(text) * SLIDE_SIZE[0] * SLIDE_SIZE[1] / 255)


def check_slide(folder):
    words = ("run", NUCLEI, "--data", SLIDE, "--tile", 512, "-C", folder)
    call_json(*words, "--store", "store", "-o", "first")
    files = [name for name in support.files_below(folder / "first")]
    check(len(files) <= MOST_FILES, f"{len(files)} files: {files}")
    check_record(folder / "first")
    say(f"{len(files)} files: {', '.join(files)}")
    check("run.json" in files, "there is no run.json")
    ids, area = check_join(folder / "first")
    mask = folder / "first" / SLIDE.stem / "segment.mask.png"
    equal(support.read_png(mask)[:2], SLIDE_SIZE, "size of the mask")
    equal(area, foreground(mask), "area of all objects, against the mask")
    say(f"{len(ids)} objects of {area:.0f} pixels")
    # A store of its own: computed again. One thread, workers: another order of tiles.
    for name, more in (("again", ("-j", 1)), ("workers", ("--workers", 2))):
        call_json(*words, "--store", f"store-{name}", "-o", name, *more)
        equal(check_join(folder / name)[0] == ids, True, f"the ids of {name} are those of the first run")
        equal(support.results_below(folder / name) == support.results_below(folder / "first"), True,
              f"the files of {name} are those of the first run")
    call_json(*words, "--store", "store", "-o", "other", "-p", "G1=60")
    check(not set(ids) & {row["id"] for row in read_objects(folder / "other")[1]}, "other parameters give the same ids")


def check_number(folder):
    """The number of nuclei is that of the components of the mask, and hardly depends on tiles if they have a halo."""
    counts = {}
    for name, tile, halo in (("whole", 0, 0), ("tiled", 512, 128)):
        study = {"tessera": 1, "workflow": str(NUCLEI), "data": {"files": [str(SLIDE)], "tile": tile, "halo": halo},
                 "outputs": ["features.summary:count"]}
        (folder / f"{name}.json").write_text(json.dumps(study), encoding="utf-8")
        call_json("run", "-C", folder, f"{name}.json", "--store", f"store-{name}", "-o", name)
        picture = support.read_png(folder / name / SLIDE.stem / "segment.mask.png")
        with open(folder / name / SLIDE.stem / "features.summary.csv", encoding="utf-8", newline="") as file:
            counts[name] = int(next(csv.DictReader(file))["count"])
        equal(counts[name], components(picture[4], picture[0]), f"nuclei of {name}, against the components of its mask")
        equal(counts[name], len(read_objects(folder / name)[1]), f"rows of {name}")
    equal(counts["whole"], WHOLE_COUNT, "nuclei of the whole image at default parameters")
    check(abs(counts["tiled"] / counts["whole"] - 1) <= 0.015, f"nuclei of tiles against the whole image: {counts}")
    say(f"nuclei: {counts}")


# ---- a large mask ----

def check_large(folder):
    rows = [bytearray(WIDE) for _ in range(HIGH)]
    for x, y, wide, high in BOXES:
        for row in rows[y:y + high]:
            row[x:x + wide] = b"\xff" * wide
    wanted = b"".join(map(bytes, rows))
    write_png(folder / "wide.png", WIDE, HIGH, 1, wanted)
    (folder / "copy.json").write_text(json.dumps(COPY), encoding="utf-8")
    call("run", "copy.json", "--data", "wide.png", "--tile", 512, "-C", folder, "-o", "wide", "--progress=none")
    files = [name for name in support.files_below(folder / "wide")]
    check("wide/keep.mask.ome.tif" in files, f"no OME-TIFF among {files}")
    check(len(files) <= MOST_FILES, f"{len(files)} files: {files}")
    check_record(folder / "wide")
    path = folder / "wide/wide/keep.mask.ome.tif"
    check_with_vips(folder, path, wanted)
    check_with_tifffile(path, wanted)


def check_with_vips(folder, path, wanted):
    subprocess.run(["vips", "rawsave", str(path), str(folder / "wide.raw")], check=True)
    equal((folder / "wide.raw").read_bytes() == wanted, True, "pixels as libvips reads them")
    said = subprocess.run(["vipsheader", "-a", str(path)], check=True, capture_output=True, text=True).stdout
    fields = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    equal((fields.get("width"), fields.get("height"), fields.get("bands")), (str(WIDE), str(HIGH), "1"), "header")
    check(int(fields.get("n-subifds", 0)) >= 1, f"libvips finds no levels: {said[:500]}")
    subprocess.run(["vips", "copy", f"{path}[subifd=0]", str(folder / "half.v")], check=True)
    half = subprocess.run(["vipsheader", str(folder / "half.v")], check=True, capture_output=True, text=True).stdout
    check(f"{WIDE // 2}x{HIGH // 2} " in half, f"the first coarser level is {half}")


def check_with_tifffile(path, wanted):
    try:
        import tifffile
    except ImportError as missing:
        support.skip_part(f"there is no tifffile ({missing}); make setup installs it")
        return
    with tifffile.TiffFile(path) as file:
        check(file.is_ome, "tifffile sees no OME metadata")
        equal(len(file.series), 1, "images in the file")
        levels = file.series[0].levels
        equal(levels[0].shape, (HIGH, WIDE), "shape as tifffile reads it")
        equal([level.shape for level in levels], [(HIGH >> i, WIDE >> i) for i in range(len(levels))], "shapes of the levels")
        check(len(levels) >= 3 and max(levels[-1].shape) <= 1024, f"{len(levels)} levels")
        check(file.pages[0].is_tiled, "it has no tiles")
        equal(levels[0].asarray().tobytes() == wanted, True, "pixels as tifffile reads them")
        # A coarser mask has an object wherever the finer one has a pixel of it.
        fine, half = levels[0].asarray(), levels[1].asarray()
        fine = fine[:HIGH // 2 * 2, :WIDE // 2 * 2].reshape(HIGH // 2, 2, WIDE // 2, 2).max(axis=(1, 3))
        equal((half == fine).all(), True, "pixels of the first coarser level")


def main():
    support.need_program()
    folder = support.scratch()
    check_large(folder)
    if SLIDE.exists():
        check_slide(folder)
        check_number(folder)
    else:
        support.skip_part(f"there is no ../shared/{SLIDE.relative_to(support.SHARED)}")
    support.finish()


main()
