#!/usr/bin/env python3
"""Operations from descriptors: those of the document and one with every placeholder are built and run untouched, their
numbers are those of Python, and what is wrong with a descriptor is said with its place.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-label: threads-elsewhere (e2e.demo, e2e.decay); libraries that it wraps are not compiled with it
test-timeout: 240
"""
import copy
import gzip
import json
import os
import re
import statistics
import subprocess
import zlib

import _support as support
from _support import ROOT, call, call_json, check, equal, say

GUIDE = ROOT / "docs/new-operation.md"
# Every property of every kind of port in C, so that a source with any of them builds without a warning.
EVERYTHING = {
    "tessera_new": 1, "name": "test.everything-else", "version": 7, "kind": "c", "help": "a \"help\" with \\ and %d",
    "library": {"headers": ["math.h"], "libs": ["-lm"]}, "open": "0", "thread_safe": False, "reach": "radius", "radius_px": 3,
    "inputs": {"rgb": {"type": "image/rgb8", "help": "x"}, "gray": {"type": "image/gray8"}, "wide": {"type": "image/gray16"},
               "mask": {"type": "mask"}, "level": {"type": "labels"}, "cells": {"type": "table"}, "text": {"type": "bytes"}},
    "outputs": {"table": {"type": "table", "columns": {
        "copy": "{mask.copy}[0] + {level.copy}[0] + {wide.data}[0] + {gray.data}[0]", "doubles": "{rgb.doubles}[{rgb.count} - 1]",
        "size": "{rgb.width} * {rgb.height} * {rgb.channels} + {rgb.stride} + {gray.bytes}", "root": "sqrt({real} + {whole} + {yes})",
        "cells": "{cells.rows} + {cells.columns} + {cells.cells}[0] + {cells[a b]}[0] + {cells[a b].count} + {cells[c]}[0]",
        "texts": "strlen({text.text}) + {text.data}[1] + {text.bytes} + {text.copy}[0]",
        "word": "{word}[0]", "like": "{green.width} + {green.height} + {green.channels} + {green.stride} + {green.count}"}},
        "green": {"type": "image/gray8", "like": "gray"}, "again": {"type": "labels", "starts_as": "level"},
        "raw": {"type": "bytes", "size": "16"}, "lines": {"type": "objects", "size": "64"}},
    "parameters": {"real": {"type": "real", "default": 1.5}, "whole": {"type": "integer", "domain": [-5, 5], "default": 2},
                   "yes": {"type": "boolean", "default": True},
                   "word": {"type": "string", "choices": ["a\"b", "c"], "default": "c"}},
    "before": ["memset({raw.data}, 7, {raw.bytes});", "static const char nothing[] = \"{\\\"type\\\": \\\"FeatureCollection\\\", \\\"features\\\": []}\";",
               "memcpy({lines.data}, nothing, strlen(nothing));", "{lines.bytes} = strlen(nothing);"],
    "call": "memset({green.data}, 9, {green.bytes})", "returns": "void *",
    "after": ["{raw.bytes} = 4;"], "fails": {"if": "{result} == NULL"}}


def descriptors():
    """Name of the file -> text, from the document."""
    text = GUIDE.read_text(encoding="utf-8")
    found = re.findall(r"(?:<!-- file: (\S+) -->|^File `(\S+)`:\n)\n```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return {one or other: body for one, other, body in found}


def make_test(folder):
    run = subprocess.run(["make", "-C", folder, "test"], env=support.environment(TESSERA=support.PROGRAM), text=True,
                         capture_output=True, check=False, timeout=200)
    check(run.returncode == 0 and "works" in run.stdout, f"make test in {folder}: {run.stdout[-1500:]}{run.stderr[-2500:]}")
    check("warning:" not in run.stderr.replace("warning: main.", ""), f"warnings in {folder}: {run.stderr[-1500:]}")
    check((folder / "out-test/study/report.html").exists(), f"{folder} has no report of its study")


def new(work, name, descriptor):
    """Writes the descriptor, makes the operation, runs its own test; gives its folder and the table of its call."""
    text = descriptor if isinstance(descriptor, str) else json.dumps(descriptor)
    (work / name).write_text(text, encoding="utf-8")
    reply = call_json("new", "-C", work, "operation", name)
    folder = work / json.loads(text)["name"].replace(".", "-")
    equal((reply["schema"], reply["folder"]), ("tessera.new/1", str(folder)), "reply")
    equal(sorted(reply["files"]), sorted(support.files_below(folder)), "files of the reply")
    equal((folder / "descriptor.json").read_text(encoding="utf-8"), text, "the descriptor beside them")
    before = support.files_below(folder)
    make_test(folder)
    after = support.files_below(folder)
    equal({path for path in before if before[path] != after.get(path)}, set(), "files that the test has changed")
    tables = list((folder / "out-test/call").glob("*.csv"))
    return folder, support.read_csv(tables[0])[0] if tables else {}


def near(found, wanted, what):
    check(abs(float(found) - wanted) <= 1e-9 * max(1, abs(wanted)), f"{what}: {found}, not {wanted}")


def column(path):
    return [float(row["area"]) for row in support.read_csv(path)]


def check_zlib(work, texts):
    crc = {"tessera_new": 1, "name": "zlib.crc", "version": 1, "kind": "c",
           "library": {"pkg_config": ["zlib"], "headers": ["zlib.h"]}, "inputs": {"image": {"type": "image/gray8"}},
           "outputs": {"table": {"type": "table", "columns": {"crc": "{result}"}}},
           "parameters": {"start": {"type": "integer", "domain": [0, 1000], "default": 5}}, "returns": "unsigned long",
           "call": "crc32((uLong){start}, {image.data}, (uInt){image.bytes})"}
    folder, row = new(work, "crc.json", crc)
    equal(int(row["crc"]), zlib.crc32(support.read_png(folder / "data/image-1.png")[4], 5), "CRC-32 of the example")
    wanted = {zlib.crc32(support.read_png(folder / "data/image-1.png")[4], start) for start in range(1001)}
    rows = support.read_csv(folder / "out-test/study/results-by-file.csv")
    found = {int(float(line["main.table:crc"])) for line in rows if line["file"].endswith("image-1")}
    check(len(found) > 1 and found <= wanted, f"sums of the study are not those of zlib: {sorted(found)[:5]}")
    folder, row = new(work, "pack.json", texts["pack.json"])
    pixels = support.read_png(folder / "data/image-1.png")[4]
    equal(zlib.decompress((folder / "out-test/call/packed.bin").read_bytes()), pixels, "what was packed")
    packed = (folder / "out-test/call/packed.bin").stat().st_size
    equal(int(row["bytes"]), packed, "length of what was packed")
    near(row["share"], packed / len(pixels), "share")
    before = (folder / "README.md").read_bytes()
    refused = call_json("new", "-C", work, "operation", "pack.json", expect=3)
    check(refused["faults"][0]["code"] == 316 and "nothing is overwritten" in refused["faults"][0]["text"], f"twice: {refused}")
    equal((folder / "README.md").read_bytes(), before, "a file of the first time")
    # A failure of the library is that of the task, in its own words.
    text = (folder / "zlib_pack.c").read_text(encoding="utf-8")
    (folder / "zlib_pack.c").write_text(text.replace("(int)level_value)", "(int)level_value + 90)"), encoding="utf-8")
    subprocess.run(["make", "-C", folder], check=True, capture_output=True)
    failed = call_json("call", "-C", folder, "libzlib_pack.so", "image=data/image-1.png", "level=6", "-o", "failed", expect=1)
    check("failed: stream error" in failed["faults"][0]["text"], f"failure of the library: {failed['faults']}")


def check_gsl(work, texts):
    if subprocess.run(["pkg-config", "--exists", "gsl"], check=False).returncode != 0:
        support.skip_part("libgsl-dev is not installed")
        return
    folder, row = new(work, "statistics.json", texts["statistics.json"])
    values = sorted(column(folder / "data/cells-1.csv"))
    near(row["mean"], statistics.fmean(values), "mean")
    near(row["sd"], statistics.stdev(values), "standard deviation")
    near(row["quantile"], statistics.median(values), "median as a quantile")
    (folder / "gap.csv").write_text("area,other\n3,1\n,2\n1,4\n", encoding="utf-8")
    reply = call_json("call", "-C", folder, "libgsl_statistics.so", "cells=gap.csv", "share=1", "-o", "gap")
    row = support.read_csv(reply["outputs"][0]["file"])[0]
    equal((float(row["mean"]), float(row["quantile"])), (2, 3), "a missing cell is left out")
    (folder / "other.csv").write_text("size\n3\n", encoding="utf-8")
    failed = call_json("call", "-C", folder, "libgsl_statistics.so", "cells=other.csv", "share=1", "-o", "x", expect=1)
    check("has no column 'area'" in failed["faults"][0]["text"], f"a table without the column: {failed['faults']}")


def check_vips(work, texts):
    folder, _ = new(work, "blur.json", texts["blur.json"])
    vips = subprocess.run(["vips", "gaussblur", folder / "data/gray-1.png", folder / "wanted.png", "2"], check=False,
                          capture_output=True)
    if vips.returncode != 0:
        support.skip_part("there is no program vips")
        return
    equal(support.read_png(folder / "out-test/call/smooth.png")[4], support.read_png(folder / "wanted.png")[4],
          "pixels, against the program vips")


def check_python(work, texts):
    folder, row = new(work, "gzip.json", texts["gzip.json"])
    packed = (folder / "out-test/call/packed.bin").read_bytes()
    equal((gzip.decompress(packed), int(row["bytes"])), ((folder / "data/text-1.txt").read_bytes(), len(packed)), "gzip")
    broken = json.loads(texts["gzip.json"]) | {"name": "tools.broken", "command": ["gzip", "--nonsense"]}
    (work / "broken.json").write_text(json.dumps(broken), encoding="utf-8")
    call("new", "-C", work, "operation", "broken.json", work / "broken")
    failed = call_json("call", "-C", work / "broken", "tools_broken.json", "text=data/text-1.txt", "level=6", expect=1)
    check("'gzip' ended with exit status 1" in failed["faults"][0]["text"], f"a program that fails: {failed['faults']}")
    folder, row = new(work, "median.json", texts["median.json"])
    values = sorted(column(folder / "data/cells-1.csv"))
    near(row["median"], statistics.median(values[len(values) // 10:len(values) - len(values) // 10]), "median")
    equal(int(float(row["rows"])), len(values), "rows")


def check_others(work):
    """Without a parameter there is nothing to study, without numbers the time is studied, and a program reads its input."""
    plain = {"tessera_new": 1, "name": "test.count", "version": 1, "kind": "c", "library": {"headers": ["math.h"]},
             "inputs": {"mask": {"type": "mask"}},
             "outputs": {"table": {"type": "table", "columns": {"n": "{mask.count}"}}}}
    (work / "plain.json").write_text(json.dumps(plain), encoding="utf-8")
    call("new", "-C", work, "operation", "plain.json")
    subprocess.run(["make", "-C", work / "test-count", "test"], check=True, capture_output=True,
                   env=support.environment(TESSERA=support.PROGRAM))
    check(not (work / "test-count/out-test/study").exists(), "a study of nothing was run")
    width, height = support.read_png(work / "test-count/data/mask-1.png")[:2]
    equal(support.read_csv(work / "test-count/out-test/call/table.csv"), [{"n": str(width * height)}], "pixels of a mask")
    timed = {"tessera_new": 1, "name": "test.copy", "version": 1, "kind": "script", "inputs": {"image": {"type": "image/gray16"}},
             "outputs": {"copy": {"type": "image/gray16"}}, "parameters": {"on": {"type": "boolean", "default": True}},
             "imports": ["shutil"], "lines": ["shutil.copyfile({image.path}, {copy.path})"]}
    folder, _ = new(work, "timed.json", timed)
    equal(json.loads((folder / "study.json").read_text())["outputs"], ["run:seconds"], "what is studied without numbers")
    counted = {"tessera_new": 1, "name": "test.lines", "version": 1, "kind": "command", "inputs": {"text": {"type": "bytes"}},
               "outputs": {"table": {"type": "table", "columns": {"n": "float({result}.split()[0])"}}},
               "parameters": {"what": {"type": "string", "choices": ["-l", "-c"], "default": "-l"}},
               "command": ["wc", "{what}"], "stdin": "text"}
    folder, row = new(work, "counted.json", counted)
    equal(float(row["n"]), (folder / "data/text-1.txt").read_bytes().count(b"\n"), "lines, from standard input")


def check_everything(work):
    folder, row = new(work, "everything.json", EVERYTHING)
    width, height, _, _, rgb = support.read_png(folder / "data/rgb-1.png")
    equal(float(row["doubles"]), float(rgb[-1]), "the last value of the pixels")
    equal(float(row["size"]), width * height * 3 + 3 * width + width * height, "numbers about pixels")
    near(row["root"], (1.5 + 2 + 1) ** 0.5, "values of parameters")
    equal(float(row["word"]), float(ord("c")), "a word")
    cells = support.read_csv(folder / "data/cells-1.csv")
    near(row["cells"], len(cells) + 2 + 2 * float(cells[0]["a b"]) + len(cells) + float(cells[0]["c"]), "numbers about a table")
    texts = (folder / "data/text-1.txt").read_bytes()
    equal(float(row["texts"]), 2 * len(texts) + texts[1] + texts[0], "numbers about files")
    equal((folder / "out-test/call/raw.bin").read_bytes(), bytes([7] * 4), "bytes, cut by the call")
    equal(json.loads((folder / "out-test/call/lines.geojson").read_text())["features"], [], "outlines")
    equal(support.read_png(folder / "out-test/call/green.png")[4], bytes([9]) * (width * height), "pixels")
    equal(support.read_png(folder / "out-test/call/again.png")[4], support.read_png(folder / "data/level-1.png")[4], "a copy")
    said = call("list", folder / "study.json").stdout
    check("test.everything-else 7 (plugin, exact)" in said and 'a "help" with \\ and %d' in said, "the list lacks its text")


# Changes of the pack descriptor: (path, value or None to remove), place, text of the fault. Lines are those of json.dumps.
FAULTS = ((("name",), "zlib", 212, "'library.operation'"), (("tessera_new",), 2, 120, "this tessera reads format 1"),
          (("kind",), "cc", 314, "did you mean 'c'?"), (("helpp",), "x", 201, "did you mean 'help'?"),
          (("inputs", "image", "type"), "image/rgb9", 203, "image/gray8"), (("inputs", "image", "type"), "mask|labels", 203, "one type"),
          (("inputs", "image", "type"), "objects", 203, "use 'bytes'"),
          (("inputs", "image", "type"), "file", 203, "use 'bytes'"),
          (("inputs",), {}, 202, "a study runs over files"), (("library",), None, 202, '"pkg_config"'),
          (("library", "headers"), ["zlib.h>"], 212, "letters, digits and"), (("library", "pkg_config"), ["zlib;id"], 212, "not allowed"),
          (("outputs", "packed", "size"), None, 202, '"size"'), (("outputs", "table", "columns"), None, 202, '"columns"'),
          (("outputs", "packed", "like"), "image", 201, "pixels that C writes"), (("outputs", "packed", "type"), "shapes", 203, "objects"),
          (("outputs", "packed"), {"type": "mask", "like": "imag"}, 210, "did you mean 'image'?"),
          (("parameters", "level", "default"), 12, 310, "from 0 to 9"), (("parameters", "level", "default"), None, 202, "default"),
          (("parameters", "level", "grid"), [1, 20], 310, "'level' is 20"), (("parameters", "level", "range"), [5, 1], 312, "rising"),
          (("parameters", "result"), {"type": "real", "default": 1}, None, ""), (("command",), ["x"], 201, "kind 'c'"),
          (("outputs", "image"), {"type": "bytes", "size": "1"}, 211, "a name of its own"),
          (("returns",), None, 206, '"returns": "int"'), (("fails",), {"reason": "0"}, 202, "if"),
          (("call",), "f({image.dat})", 206, "did you mean 'data'?"), (("call",), "f({imag.data})", 206, "did you mean 'image'?"),
          (("call",), "f({image})", 206, "it has"), (("call",), "f({levl})", 206, "did you mean 'level'?"),
          (("call",), "f({level.x})", 206, "write {level}"), (("call",), "f({image[a]})", 206, "names a column"),
          (("call",), "f({table.data})", 206, '"columns"'), (("reach",), "pixels", 314, "did you mean 'pixel'?"),
          (("radius_px",), 3, 314, '"reach": "radius"'), (("reach",), "radius", 202, '"radius_px": 16'))


def check_faults(work, text):
    """Each fault alone, with help; the schema rejects those of structure."""
    for path, value, number, wanted in FAULTS:
        descriptor = json.loads(text)
        target = descriptor
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value
        if value is None:
            del target[path[-1]]
        (work / "wrong.json").write_text(json.dumps(descriptor, indent=2), encoding="utf-8")
        reply = call_json("new", "-C", work, "operation", "wrong.json", work / "wrong", expect=3 if number else 0)
        said = [(fault["code"], f"{fault['text']} {fault['help']}", fault["line"]) for fault in reply.get("faults", [])]
        if number:
            check(any(code == number and wanted in line and at > 0 for code, line, at in said), f"{path}={value}: {said}")
            check(not (work / "wrong").exists(), f"{path}={value}: a folder was made")
        else:
            subprocess.run(["rm", "-r", work / "wrong"], check=True)
    # All at once, and the column of a placeholder behind escapes: two blanks, "call": , a quotation mark, and what precedes.
    descriptor = json.loads(text) | {"version": 0}
    descriptor["parameters"]["level"]["default"] = 99
    body = json.dumps(descriptor, indent=2).replace('"call": "compress2(', '"call": "f(\\"\\u00e9\u00e9\\", {nothing}')
    (work / "wrong.json").write_text(body, encoding="utf-8")
    faults = call_json("new", "-C", work, "operation", "wrong.json", expect=3)["faults"]
    equal(sorted(fault["code"] for fault in faults), [206, 310, 314], "codes of three faults")
    place = next((fault["line"], fault["column"]) for fault in faults if fault["code"] == 206)
    line = next(number for number, row in enumerate(body.splitlines(), 1) if '"call"' in row)
    equal(place, (line, body.splitlines()[line - 1].index("{nothing}") + 1), "line and column of a placeholder")
    equal(call_json("new", "-C", work, "operation", "none.json", expect=3)["faults"][0]["code"], 101, "no descriptor")
    equal(call_json("new", "-C", work, "operator", "pack.json", expect=2)["faults"][0]["code"], 901, "another thing")


def check_schema(texts):
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    schema = json.loads((ROOT / "docs/schema/operation-descriptor.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name, text in texts.items():
        equal([error.message for error in validator.iter_errors(json.loads(text))], [], f"the schema against {name}")
    equal([error.message for error in validator.iter_errors(EVERYTHING)], [], "the schema against every key")
    for change in ({"helpp": "x"}, {"kind": "cc"}, {"command": ["x"]}, {"version": 0}, {"inputs": {}}, {"library": {}}):
        wrong = copy.deepcopy(json.loads(texts["pack.json"])) | change
        check(list(validator.iter_errors(wrong)), f"the schema accepts {change}")


def main():
    support.need_program()
    if subprocess.run(["pkg-config", "--exists", "zlib", "vips"], check=False).returncode != 0:
        support.skip("zlib and libvips are not installed for programmers")
    work = support.scratch()
    os.environ.pop("CFLAGS", None)
    texts = descriptors()
    equal(sorted(texts), ["blur.json", "gzip.json", "median.json", "pack.json", "statistics.json"], "descriptors of the document")
    check_schema(texts)
    check_faults(work, texts["pack.json"])
    check_zlib(work, texts)
    check_gsl(work, texts)
    check_vips(work, texts)
    check_python(work, texts)
    check_others(work)
    check_everything(work)
    say(f"{len(texts) + 5} operations made and run")
    support.finish()


main()
