#!/usr/bin/env python3
"""Columns mpp and level of a manifest: what operations see, on threads, in worker processes and after --resume.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-timeout: 180

Slides are written here, page by page, so that sizes, colours and pixel sizes of their levels are known; vipsheader is
asked too, where it is installed. The slide of ../shared is scanned with 0.499 micrometres per pixel (vipsheader -a).
"""
import copy
import json
import math
import shutil
import signal
import struct
import subprocess
import time

import _support as support
from _support import ROOT, call, call_json, check, equal, say

LEVELS = ((301, 203), (151, 102), (76, 51))  # pixels of each
SHADES = (200, 120, 40)  # of the pixels of each
TRUTH = ((301, 203), (151, 102))
FILE_UM = 0.5  # in the header of slide.tif
OME = '<?xml version="1.0"?><OME><Image><Pixels ID="P" PhysicalSizeX="{0}" PhysicalSizeY="{0}"/></Image></OME>'
LOOK = r'''
import json, os, pathlib, struct, sys, time, zlib
call = json.load(open(sys.argv[-1]))
image = call["inputs"]["image"]
hold = pathlib.Path("@HOLD@")
while call["parameters"]["factor"] == 3 and hold.exists():
    hold.with_name("reached").touch()
    time.sleep(0.02)
data = open(image["path"], "rb").read()
width, height = struct.unpack(">II", data[16:24])
at, packed = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
    at += 12 + size
shade = zlib.decompress(packed)[1]  # the first pixel: no filter changes it
x, y = image.get("pixel_size_um", [-1, -1])
row = [width, height, image["level"], shade, x, y, call["parameters"]["factor"]]
head = "width,height,level,shade,x_um,y_um,factor"
open(call["outputs"]["table"]["path"], "w").write(head + "\n" + ",".join(map(repr, row)) + "\n")
'''
COLUMNS = ("width", "height", "level", "shade", "x_um", "y_um", "factor")


# ---- a project ----

def write_tiff(path, sizes, description=None):
    """Uncompressed RGB, a page per level, each of one shade."""
    text = (description or "").encode() + b"\0"
    data = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for number, (width, height) in enumerate(sizes):
        pixels, bits, note = len(data), len(data) + 3 * width * height, len(data) + 3 * width * height + 6
        data += bytes([SHADES[number]]) * (3 * width * height) + struct.pack("<3H", 8, 8, 8)
        tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, bits), (259, 3, 1, 1), (262, 3, 1, 2),
                (273, 4, 1, pixels), (277, 3, 1, 3), (278, 4, 1, height), (279, 4, 1, 3 * width * height)]
        if description and number == 0:
            data += text
            tags.insert(5, (270, 2, len(text), note))
        data += b"\0" * (len(data) % 2)
        struct.pack_into("<I", data, link, len(data))
        data += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
        link = len(data)
        data += b"\0\0\0\0"
    path.write_bytes(data)


def operation(name, reads):
    return {"tessera_operation": 1, "name": name, "version": 1, "command": ["python3", "-I", "-S", "look.py"],
            "reads_pixel_size": reads,
            "inputs": {"image": {"type": "image/rgb8"}, "truth": {"type": "image/rgb8", "optional": True}},
            "outputs": {"table": {"type": "table"}}, "columns": {"table": list(COLUMNS)},
            "parameters": {"factor": {"type": "integer", "domain": [1, 3]}}}


def write_json(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")


def project(manifest, **data):
    """A folder with slides, operations, workflow, study and manifest."""
    folder = support.scratch()
    write_tiff(folder / "slide.tif", LEVELS, OME.format(FILE_UM))
    write_tiff(folder / "silent.tif", LEVELS)
    write_tiff(folder / "truth.tif", TRUTH)
    (folder / "look.py").write_text(LOOK.replace("@HOLD@", str(folder / "hold")), encoding="utf-8")
    write_json(folder / "look.json", operation("test.look", True))
    write_json(folder / "blind.json", operation("test.blind", False))
    inputs = {"image": "image", "truth": "truth"}
    tasks = [{"name": name, "op": f"test.{name}", "in": inputs, "params": ["factor"]} for name in ("look", "blind")]
    write_json(folder / "workflow.json", {
        "tessera": 1, "name": "look", "operations": ["look.json", "blind.json"],
        "inputs": {"image": {"type": "image/rgb8"}, "truth": {"type": "image/rgb8", "optional": True}},
        "parameters": {"factor": {"type": "integer", "grid": [1, 2, 3], "default": 1}},
        "stages": [{"name": "see", "per": "tile", "in": inputs, "out": {"table": "look.table", "blind": "blind.table"},
                    "tasks": tasks}]})
    write_json(folder / "study.json", {
        "tessera": 1, "workflow": "workflow.json", "data": {"manifest": "data.csv", **data}, "method": {"name": "grid"},
        "outputs": [f"see.table:{column}" for column in COLUMNS] + ["see.blind:x_um"]})
    (folder / "data.csv").write_text(manifest, encoding="utf-8")
    return folder


def study(folder, *words, store="store", out="out", **options):
    return call_json("study", "-C", folder, *words, "--store", store, "-o", out, **options)


def warnings_of(reply):
    """Those about resolutions."""
    return [text for text in reply.get("warnings", []) if "manifest" in text]


def seen(folder, out="out"):
    """What the operation saw of each file, at the first set."""
    rows = [row for row in support.read_csv(folder / out / "results-by-file.csv") if row["set"] == "0"]
    return {row["file"]: tuple(float(row[f"see.table:{column}"]) for column in COLUMNS[:6]) for row in rows}


def at_level(level, mpp, sizes=LEVELS):
    """By the rule: the pixel size of full resolution times the downsampling, along each side."""
    (width, height), (full_width, full_height) = sizes[level], sizes[0]
    return width, height, level, SHADES[level], mpp * (full_width / width), mpp * (full_height / height)


def items_of(folder, store="store"):
    run = call_json("status", "-C", folder, "--store", store)["runs"][0]["id"]
    order = call_json("status", run, "-C", folder, "--store", store)["detail"]["order"]
    return order, {item["name"]: {key: item[key] for key in ("mpp", "level") if key in item} for item in order["items"]}


# ---- what operations see ----

MANIFEST = ("image,mpp,level\nslide.tif,,\nslide.tif,,2\nslide.tif,0.51,1\n"
            "silent.tif,0.25,0\nsilent.tif,0.25,2\nsilent.tif,,\n")
GIVEN = {"slide": {}, "slide-2": {"level": 2}, "slide-3": {"mpp": 0.51, "level": 1},
         "silent": {"mpp": 0.25, "level": 0}, "silent-2": {"mpp": 0.25, "level": 2}, "silent-3": {}}
SEEN = {"slide": at_level(1, FILE_UM), "slide-2": at_level(2, FILE_UM), "slide-3": at_level(1, 0.51),
        "silent": at_level(0, 0.25), "silent-2": at_level(2, 0.25), "silent-3": at_level(1, 0)}


def check_sizes_of_slides(folder):
    """That the slides are what this test takes them for, in the eyes of another program."""
    if not shutil.which("vipsheader"):
        support.skip_part("vipsheader is not installed")
        return
    for level, size in enumerate(LEVELS):
        said = [subprocess.run(["vipsheader", "-f", field, f"slide.tif[page={level}]"], cwd=folder, check=True,
                               capture_output=True, text=True).stdout.strip() for field in ("width", "height")]
        equal(tuple(map(int, said)), size, f"vipsheader at level {level}")


def check_seen():
    folder = project(MANIFEST, level=1)
    check_sizes_of_slides(folder)
    reply = study(folder, "-j", 1)
    equal(warnings_of(reply), [], "warnings: 0.51 in place of 0.5 is 2 %")
    equal(seen(folder), SEEN, "what the operation sees")
    blind = {row["see.blind:x_um"] for row in support.read_csv(folder / "out/results-by-file.csv")}
    equal(blind, {"-1"}, "pixel size for an operation that does not read it")
    shown = [{key: entry[key] for key in ("mpp", "level") if key in entry} for entry in reply["inputs"]]
    equal(shown, list(GIVEN.values()), "inputs of the reply")
    order, found = items_of(folder)
    equal(found, GIVEN, "items of the order")
    check_schema(order)
    return folder, support.files_below(folder / "out")


def check_schema(order):
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    schema = json.loads((ROOT / "docs/schema/order.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    equal([error.message[:200] for error in validator.iter_errors(order)], [], "what the schema says about the order")
    for member, value in (("mpp", 0), ("mpp", -1), ("mpp", 1000.5), ("mpp", "0.5"), ("level", -1), ("level", 0.5)):
        wrong = copy.deepcopy(order)
        wrong["items"][0][member] = value
        check(not validator.is_valid(wrong), f"the schema accepts {member} = {value!r}")


# ---- workers, --resume, keys ----

def same(folder, wanted, out, what):
    for name in ("results.csv", "results-by-file.csv"):
        check((folder / out / name).read_bytes() == wanted[name], f"{what}: {name} differs")


def check_workers(folder, wanted):
    study(folder, "--workers", 2, store="workers", out="workers-out")
    same(folder, wanted, "workers-out", "two workers")
    equal(items_of(folder, "workers")[1], GIVEN, "items of the order for workers")
    found = call_json("store", "verify", "--recompute", "-C", folder, "--store", "workers")
    equal((found["recomputed"]["runs"], found["differs"]), (1, []), "a run computed again from its order")


def stop(folder, store):
    """A study that is killed while the last sets wait."""
    (folder / "hold").touch()
    (folder / "reached").unlink(missing_ok=True)
    run = subprocess.Popen([support.PROGRAM, "study", "-C", folder, "--store", store, "-o", f"{store}-out", "-j", "1"],
                           env=support.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (folder / "reached").exists() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    run.kill()
    equal(run.wait(), -signal.SIGKILL, "end of the study that is killed")
    (folder / "hold").unlink()


def check_resume(folder, wanted):
    stop(folder, "resumed")
    study(folder, "--resume", store="resumed", out="resumed-out")
    same(folder, wanted, "resumed-out", "--resume")
    stop(folder, "moved")
    away = folder.parent / f"{folder.name}-data"
    away.mkdir()
    for name in ("data.csv", "slide.tif", "silent.tif"):
        shutil.move(folder / name, away / name)
    study(folder, "--resume", "--data-root", away, "--workers", 2, store="moved", out="moved-out")
    same(folder, wanted, "moved-out", "--resume without the manifest")
    for name in ("data.csv", "slide.tif", "silent.tif"):
        shutil.move(away / name, folder / name)
    away.rmdir()


def check_keys():
    """A pixel size is a part of the keys of those who read it, whoever says it."""
    folder = project("image\nslide.tif\n")
    for cells, wanted in (("", (3, 3)), ("image,mpp\nslide.tif,\n", (0, 0)), ("image,mpp\nslide.tif,0.5\n", (0, 0)),
                          ("image,mpp,level\nslide.tif,0.6,\n", (3, 0)), ("image,level,mpp\nslide.tif,1,0.5\n", (3, 3)),
                          ("image,level\nslide.tif,1\n", (0, 0))):
        if cells:
            (folder / "data.csv").write_text(cells, encoding="utf-8")
        done = support.executed(study(folder, "-j", 1))
        equal((done.get("see.look"), done.get("see.blind")), wanted, f"tasks executed with {cells!r}")
    equal(items_of(folder)[1], {"slide": {"level": 1}}, "items of the last order")


def check_order_without():
    """Orders without the columns have no members for them: their bytes are those of earlier programs."""
    folder = project("image\nslide.tif\n")
    study(folder, "-j", 1)
    equal([sorted(item) for item in items_of(folder)[0]["items"]], [["inputs", "name"]], "members of an item")


# ---- warnings and faults ----

def check_warnings():
    rows = (("0.525", None), ("0.475", None), ("0.526", "0.526"), ("0.474", "0.474"))
    for mpp, named in rows:
        folder = project(f"image,mpp,level\nsilent.tif,9,\nslide.tif,{mpp},1\n")
        found = call_json("check", "-C", folder).get("warnings")
        wanted = [f"the manifest gives 'slide' {named} micrometres per pixel, but its file says 0.5 (1 item differs by "
                  "more than 5 %); the manifest's number is used"] if named else []
        # Both are warned about: operations that read a whole tile, and parameters without a unit.
        edge = math.prod(at_level(1, float(mpp))[4:]) ** 0.5
        wanted.append(f"the files differ in resolution, from {edge:.4g} µm per pixel ('slide') to 9 µm per pixel ('silent'), "
                      "but sizes in this workflow are in pixels: one value means different sizes; declare such parameters "
                      "with \"unit\": \"um\" (areas: \"um2\"), or read the files at levels of equal resolution")
        equal(found, wanted, f"warnings about {mpp} in place of 0.5")
    folder = project("image,mpp,level\nsilent.tif,0.5,\nslide.tif,0.5,0\n")
    equal(call_json("check", "-C", folder).get("warnings"), [], "warnings about files of one resolution")
    folder = project("image,mpp\nslide.tif,0.5\nslide.tif,1\nslide.tif,2\nslide.tif,\n")
    found = " ".join(call_json("check", "-C", folder).get("warnings"))
    for part in ("'slide-2' 1 micro", "says 0.5 ", "(2 items differ"):
        check(part in found, f"one warning for two items: {part!r} is not in {found!r}")


def check_references():
    """All images of an item are read at its level, whether a manifest or the study names them."""
    folder = project("image,truth,level\nslide.tif,truth.tif,1\n")
    study(folder, "-j", 1)
    equal(seen(folder), {"slide": at_level(1, FILE_UM)}, "an item with a truth at level 1")
    manifest = "truth,image,level\ntruth.tif,slide.tif,2\ntruth.tif,slide.tif,3\n"
    (folder / "data.csv").write_text(manifest, encoding="utf-8")
    run = call("check", "-C", folder, expect=3)
    for part in ("truth.tif' has 2 resolution levels, not level 2", "data.csv:2:21", "data.csv:3:21",
                 "slide.tif' has 3 resolution levels, not level 3", "3 faults"):
        check(part in run.stderr, f"levels that files do not have: {part!r} is not in\n{run.stderr}")
    folder = project("image,level\nslide.tif,1\n")
    text = (folder / "workflow.json").read_text(encoding="utf-8").replace('"truth"', '"reference"')
    (folder / "workflow.json").write_text(text, encoding="utf-8")
    for name in ("look.json", "blind.json"):
        text = (folder / name).read_text(encoding="utf-8").replace('"truth"', '"reference"')
        (folder / name).write_text(text, encoding="utf-8")
    described = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    write_tiff(folder / "one.tif", LEVELS[:1])
    write_json(folder / "study.json", {**described, "reference": {"files": ["one.tif"]}})
    run = call("check", "-C", folder, expect=3)
    check("one.tif' has 1 resolution level, not level 1" in run.stderr and "data.csv:2:11" in run.stderr,
          f"a reference of the study without the level of the manifest\n{run.stderr}")


# ---- a slide of a scanner ----

def check_scanned():
    slide = support.SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"
    if not slide.exists():
        support.skip_part("there is no ../shared/data/histology")
        return
    folder = project("image,mpp,level\n")
    shutil.copy(slide, folder / "scan.svs")
    manifest = "image,mpp,level\nscan.svs,,\nscan.svs,0.998,0\n"
    wanted = {"scan": (2220, 2967, 0, 0.499, 0.499), "scan-2": (2220, 2967, 0, 0.998, 0.998)}
    if shutil.which("vips"):
        subprocess.run(["vips", "tiffsave", "scan.svs", "pyramid.tif", "--tile", "--pyramid", "--compression", "jpeg",
                        "--strip"], cwd=folder, check=True)
        width, height = (int(subprocess.run(["vipsheader", "-f", field, "pyramid.tif[page=1]"], cwd=folder, check=True,
                                            capture_output=True, text=True).stdout) for field in ("width", "height"))
        manifest += "pyramid.tif,0.499,1\n"
        wanted["pyramid"] = (width, height, 1, 0.499 * (2220 / width), 0.499 * (2967 / height))
    else:
        support.skip_part("vips is not installed")
    (folder / "data.csv").write_text(manifest, encoding="utf-8")
    reply = study(folder, "--workers", 2)
    equal(len(warnings_of(reply)), 1, "warnings about 0.998 in place of 0.499")
    equal({name: row[:3] + row[4:] for name, row in seen(folder).items()}, wanted, "a slide of a scanner")
    (folder / "data.csv").write_text("image,level\nscan.svs,1\n", encoding="utf-8")
    run = call("check", "-C", folder, expect=3)
    check("scan.svs' has 1 resolution level, not level 1" in run.stderr and "data.csv:2:10" in run.stderr, run.stderr)


def main():
    support.need_program()
    folder, wanted = check_seen()
    for test in (check_workers, check_resume):
        say(test.__name__)
        test(folder, wanted)
    for test in (check_keys, check_order_without, check_warnings, check_references, check_scanned):
        say(test.__name__)
        test()
    support.finish()


main()
