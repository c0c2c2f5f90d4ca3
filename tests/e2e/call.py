#!/usr/bin/env python3
"""One operation by hand: its files in and out, what is said about them, the folder that is kept, and every wrong word.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import shutil
import struct
import subprocess

import _support as support
from _support import ROOT, call, call_json, check, equal

# Multiplies a table, repeats what it was told on its output, and fails where it is asked to.
COMMAND = '''
import csv, json, sys
call = json.load(open(sys.argv[-1]))
print("scaling by", call["parameters"]["factor"])
if call["parameters"]["mode"] == "fail":
    sys.exit("no licence")
with open(call["inputs"]["table"]["path"], newline="") as file:
    header, *rows = csv.reader(file)
with open(call["outputs"]["table"]["path"], "w", newline="") as file:
    csv.writer(file).writerows([header] + [[float(cell) * call["parameters"]["factor"] for cell in row] for row in rows])
open(call["outputs"]["raw"]["path"], "wb").write(b"abc")
'''
MANIFEST = {"tessera_operation": 1, "name": "test.scale", "version": 3, "command": ["python3", "-I", "scale.py"],
            "inputs": {"table": {"type": "table"}, "more": {"type": "labels", "optional": True}},
            "outputs": {"table": {"type": "table"}, "raw": {"type": "bytes"}},
            "parameters": {"factor": {"type": "real", "domain": [0, 10]},
                           "mode": {"type": "string", "choices": ["work", "fail"]}}}

# Labels that a PNG cannot hold, and a field; what adds both up; and an operation that crashes.
PLUGIN = r"""
#include "tessera_op.h"
static int numbers(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  uint32_t *labels = call->host->output_pixels(call, 0, in->width, in->height, 1, TS_OP_U32);
  float *field = call->host->output_pixels(call, 1, in->width, in->height, 1, TS_OP_F32);
  if (!labels || !field) return -1;
  for (int64_t i = 0; i < in->width * in->height; i++) {
    labels[i] = (uint32_t)(call->parameters[0]->integer + i);
    field[i] = (float)i / 4 - 1;
  }
  return 0;
}
static int sum(struct ts_op_call *call) {
  static const char *const names[] = {"labels", "field"};
  const struct ts_op_view *labels = call->inputs[0], *field = call->inputs[1];
  double *out = call->host->output_table(call, 0, 1, 2, names);
  if (!out) return -1;
  out[0] = out[1] = 0;
  for (int64_t i = 0; i < labels->width * labels->height; i++) out[0] += ((const uint32_t *)labels->data)[i];
  for (int64_t i = 0; i < field->width * field->height; i++) out[1] += ((const float *)field->data)[i];
  return 0;
}
static int crash(struct ts_op_call *call) {
  *(volatile int *)call->user = 1;
  return 0;
}
static const struct ts_op_port *const in[] = {TS_OP_PORT("image", "image/gray8", "any")};
static const struct ts_op_port *const out[] = {TS_OP_PORT("labels", "labels", ""), TS_OP_PORT("field", "field/f32", "")};
static const struct ts_op_port *const table[] = {TS_OP_PORT("table", "table", "")};
static const struct ts_op_parameter *const first[] = {TS_OP_PARAMETER("first", TS_OP_INTEGER, 0, 100000, .help = "")};
static const struct ts_op_descriptor make = {TS_OP_DESCRIPTOR_HEAD, .name = "test.numbers", .version = 1, .inputs = in,
  .input_count = 1, .outputs = out, .output_count = 2, .parameters = first, .parameter_count = 1, .run = numbers};
static const struct ts_op_descriptor add = {TS_OP_DESCRIPTOR_HEAD, .name = "test.sum", .version = 1, .inputs = out,
  .input_count = 2, .outputs = table, .output_count = 1, .run = sum};
static const struct ts_op_descriptor fall = {TS_OP_DESCRIPTOR_HEAD, .name = "test.crash", .version = 1, .inputs = in,
  .input_count = 1, .outputs = table, .output_count = 1, .run = crash};
const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&make, &add, &fall};
  *count = 3;
  return host_api == TESSERA_OP_API ? operations : NULL;
}
"""


def output(reply, port):
    return next((entry for entry in reply.get("outputs", []) if entry["port"] == port), {})


def gray_png(path, width, height, values):
    """An 8-bit grey PNG, written here."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", support.zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(values[y * width:(y + 1) * width]) for y in range(height))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                     chunk(b"IDAT", support.zlib.compress(rows)) + chunk(b"IEND", b""))


def fails(project, number, text, *words, status=3, count=1):
    reply = call_json("call", "-C", project, *words, expect=status)
    said = [(fault["code"], f"{fault['text']} | {fault.get('help', '')}") for fault in reply.get("faults", [])]
    check(any(code == number and text in line for code, line in said), f"{words}: no T{number} with '{text}': {said}")
    equal(len(said), count, f"faults of {words}: {said}")


def check_images(project):
    """Thresholding, worked out here, on the whole image and on a part of it; the same words twice give the same file."""
    width, height = 8, 6
    values = [(7 * i) % 251 for i in range(width * height)]
    gray_png(project / "gray.png", width, height, values)
    reply = call_json("call", "-C", project, "pixels.threshold", "gray=gray.png", "below=100")
    equal((reply["schema"], reply["operation"], reply["folder"]),
          ("tessera.call/1", "pixels.threshold", str(project / "call-pixels.threshold")), "reply")
    equal(reply["parameters"], [{"name": "below", "value": 100}], "values")
    mask = output(reply, "mask")
    equal((mask["type"], mask["width"], mask["height"], mask["min"], mask["max"]), ("mask", 8, 6, 0, 255), "the mask")
    equal(support.read_png(mask["file"])[4], bytes(255 if value < 100 else 0 for value in values), "pixels of the mask")
    equal(mask["bytes"], (project / "call-pixels.threshold/mask.png").stat().st_size, "size of the file")
    part = call_json("call", "-C", project, "pixels.threshold", "gray=gray.png@2,1,4,3", "-p", "below=100", "-o", "part")
    mask = output(part, "mask")
    equal((mask["x"], mask["y"], mask["width"], mask["height"]), (2, 1, 4, 3), "place of the part")
    wanted = bytes(255 if values[y * width + x] < 100 else 0 for y in range(1, 4) for x in range(2, 6))
    equal(support.read_png(mask["file"])[4], wanted, "pixels of the part")
    check(not (project / ".tessera").exists(), "a call by hand made a store")


def check_command(project):
    """A manifest as the operation; its folder with request, files and words, also where it failed."""
    (project / "t.csv").write_text("a,b\n1,2.5\n-3,0\n", encoding="utf-8")
    words = ("call", "-C", project, "scale.json", "table=t.csv", "factor=2")
    said = call(*words, "mode=work", "--keep").stdout
    for text in ("test.scale took", "2 rows: a, b", "scaling by 2.0", "call-test.scale/table.csv", "3 B",
                 f"The folder of the call: {project}/call-test.scale/call"):
        check(text in said, f"the text has no '{text}':\n{said}")
    equal((project / "call-test.scale/table.csv").read_text(), "a,b\n2,5\n-6,0\n", "the table")
    equal((project / "call-test.scale/raw.bin").read_bytes(), b"abc", "the bytes")
    kept = project / "call-test.scale/call"
    equal((kept / "log.txt").read_text(), "scaling by 2.0\n", "what it wrote")
    request = json.loads((kept / "call.json").read_text())
    equal(request["parameters"], {"factor": 2.0, "mode": "work"}, "parameters in call.json")
    equal(request["inputs"]["table"]["path"], str(kept / "in.table.csv"), "path in call.json")
    equal("more" in request["inputs"], False, "an optional input that was not given")
    # The kept folder is enough to start the program again by hand, as its documentation says.
    (kept / "out.table.csv").unlink()
    subprocess.run(["python3", project / "scale.py", kept / "call.json"], check=True, capture_output=True)
    equal((kept / "out.table.csv").read_text().split(), ["a,b", "2.0,5.0", "-6.0,0.0"], "the program started by hand")
    reply = call_json(*words, "mode=fail", "--keep", "left", "-o", "failed", expect=1)
    check("no licence" in reply["faults"][0]["text"] and "left" in reply["faults"][0]["help"],
          f"the fault does not say why and where: {reply['faults']}")
    check("no licence" in (project / "left/log.txt").read_text(), "the log of the failed call is not kept")
    check("no licence" in reply["log"], "the reply has no log")
    check(not (project / "failed").exists(), "a failed call left a folder for its outputs")
    named = call_json("call", "-C", project, "test.scale", "--operations", "scale.json", "table=t.csv", "factor=1",
                      "mode=work", "-o", "named")
    equal((named["version"], output(named, "table")["rows"]), (3, 2), "by name and file")


def check_numbers(project):
    """Labels above 65,535 and fields go through files of calls, with the values that the plugin gave them."""
    source = project / "numbers.c"
    source.write_text(PLUGIN, encoding="utf-8")
    subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{ROOT / 'include'}", "-o",
                    project / "libnumbers.so", source], check=True)
    operations = ("--operations", "libnumbers.so")
    reply = call_json("call", "-C", project, "test.numbers", *operations, "image=gray.png", "first=70000", "-o", "wide")
    labels, field = output(reply, "labels"), output(reply, "field")
    check(labels["file"].endswith("labels.ome.tif") and field["file"].endswith("field.ome.tif"), f"files: {reply}")
    equal((labels["min"], labels["max"], field["min"], field["max"]), (70000, 70047, -1, 10.75), "range of values")
    small = call_json("call", "-C", project, "test.numbers", *operations, "image=gray.png", "first=0", "-o", "small")
    check(output(small, "labels")["file"].endswith("labels.png"), f"labels of 16 bits: {small}")
    total = call_json("call", "-C", project, "test.sum", *operations, "labels=wide/labels.ome.tif",
                      "field=wide/field.ome.tif", "-o", "sum")
    equal(support.read_csv(output(total, "table")["file"]), [{"labels": str(sum(range(70000, 70048))), "field": "234"}],
          "sums of what was read again")
    part = call_json("call", "-C", project, "test.sum", *operations, "labels=small/labels.png@0,0,2,1",
                     "field=wide/field.ome.tif@1,0,2,2", "-o", "sum-part")
    equal(support.read_csv(output(part, "table")["file"]), [{"labels": "1", "field": str((1 + 2 + 9 + 10) / 4 - 4)}],
          "sums of parts")
    # To a command labels go as PNG of 16 bits: the message says which do not fit, before anything runs.
    fails(project, 314, "while writing input 'more': label 70000 does not fit into a 16-bit PNG", "scale.json", "table=t.csv", "factor=1",
          "mode=work", "more=wide/labels.ome.tif", "-o", "refused")
    fails(project, 901, "'libnumbers.so' has 3 operations: 'test.crash', 'test.numbers' and 'test.sum'", "libnumbers.so", status=2)


# Every type that a command exchanges -> what its files are: channels and bits of a PNG, or the ending.
ENCODINGS = {"image/rgb8": (3, 8), "image/gray8": (1, 8), "image/gray16": (1, 16), "mask": (1, 8), "labels": (1, 16),
             "table": ".csv", "objects": ".geojson", "bytes": ".bin"}
ECHO = '''
import json, shutil, sys
call = json.load(open(sys.argv[-1]))
for name, port in call["outputs"].items():
    shutil.copyfile(call["inputs"][name.replace("out", "in")]["path"], port["path"])
'''


def check_encodings(project):
    """The files of each type are as docs/encodings.md says, to a command and from it; the table has all of them."""
    guide = (ROOT / "docs/encodings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|", guide, re.MULTILINE))
    ports = {kind: f"{re.sub('[^a-z0-9]', '_', kind)}" for kind in ENCODINGS}
    manifest = {"tessera_operation": 1, "name": "test.echo", "version": 1, "command": ["python3", "-I", "echo.py"],
                "inputs": {f"in_{port}": {"type": kind} for kind, port in ports.items()} | {"path": {"type": "file"}},
                "outputs": {f"out_{port}": {"type": kind} for kind, port in ports.items()}}
    (project / "echo.py").write_text(ECHO, encoding="utf-8")
    (project / "echo.json").write_text(json.dumps(manifest), encoding="utf-8")
    (project / "outlines.geojson").write_text('{"type": "FeatureCollection", "features": []}', encoding="utf-8")
    files = {"image/rgb8": "slide.png@0,0,9,7", "labels": "small/labels.png", "table": "t.csv",
             "objects": "outlines.geojson", "bytes": "echo.py"}
    words = [f"in_{port}={files.get(kind, 'gray.png')}" for kind, port in ports.items()]
    reply = call_json("call", "-C", project, "echo.json", *words, "path=t.csv", "--keep", "-o", "echo")
    request = json.loads((project / "echo/call/call.json").read_text())
    equal(request["inputs"]["path"]["path"], str(project / "t.csv"), "the path of a file")
    for kind, port in ports.items():
        path, wanted = request["inputs"][f"in_{port}"]["path"], ENCODINGS[kind]
        check(kind in rows, f"docs/encodings.md has no row for {kind}")
        if isinstance(wanted, str):
            check(path.endswith(wanted) and f"`{wanted}`" in rows[kind], f"{kind}: {path}, but the table says {rows[kind]}")
        else:
            equal(support.read_png(path)[2:4], wanted, f"channels and bits of {kind}")
            word = ("grey", "RGB")[wanted[0] == 3]
            check(word in rows[kind] and f"{wanted[1]} bits" in rows[kind], f"{kind}: the table says {rows[kind]}")
        equal(output(reply, f"out_{port}").get("type"), kind, f"type of what came back of {kind}")
    refused = MANIFEST | {"name": "test.field", "inputs": {"field": {"type": "field/f32"}}}
    (project / "field.json").write_text(json.dumps(refused), encoding="utf-8")
    fails(project, 203, "a command cannot have an input of type 'field/f32' | use 'bytes'", "field.json")
    check(rows["field/f32"].startswith("no"), "docs/encodings.md says that commands take fields")


def check_crash(project):
    """The operation is named, and what it was given is there to look at."""
    run = call("call", "-C", project, "test.crash", "--operations", "libnumbers.so", "image=gray.png", "--keep", expect=1)
    check("T505" in run.stderr and "test.crash" in run.stderr, f"a crash: {run.stderr}")
    equal((project / "call-test.crash/call/in.image.png").exists(), True, "what the operation was given")


def check_faults(project):
    fails(project, 205, "did you mean 'pixels.smooth'?", "pixels.smoth")
    fails(project, 205, "--operations FILE", "stardist")
    fails(project, 101, "operation file", "nothing.json")
    fails(project, 901, "'pixels.smooth' also needs 'gray' and 'radius' | tessera call pixels.smooth gray=FILE radius=0..64",
          "pixels.smooth", status=2)
    fails(project, 901, "also needs 'table' | tessera call scale.json table=FILE [more=FILE] factor=0..10 mode=work|fail",
          "scale.json", "factor=1", "mode=work", status=2)
    fails(project, 206, "has no input and no parameter 'gra' | did you mean 'gray'?", "pixels.smooth", "gra=gray.png",
          "radius=1")
    fails(project, 310, "'radius' is 99, outside its domain [0, 64] | give a value from 0 to 64", "pixels.smooth",
          "gray=gray.png", "radius=99")
    fails(project, 314, "while reading radius=x: 'x' is not an integer", "pixels.smooth", "gray=gray.png", "radius=x")
    fails(project, 310, "'mode' is 'wrk', not one of 'work', 'fail' | did you mean 'work'?", "scale.json", "table=t.csv",
          "factor=1", "mode=wrk")
    fails(project, 901, "'radius' is given twice", "pixels.smooth", "gray=gray.png", "radius=1", "radius=2", status=2)
    fails(project, 101, "there is no file 'nothing.png' for input 'gray'".replace("nothing", str(project / "nothing")),
          "pixels.smooth", "gray=nothing.png", "radius=99", count=2)
    fails(project, 101, "is a folder", "pixels.smooth", "gray=.", "radius=1")
    fails(project, 203, "takes an 8-bit grey tile, but", "pixels.smooth", "gray=t.csv", "radius=1")
    fails(project, 203, "takes a table, but", "scale.json", "table=gray.png", "factor=1", "mode=work")
    fails(project, 203, "is an RGB image with 8 bits per channel", "pixels.smooth", f"gray={project}/slide.png", "radius=1")
    fails(project, 402, "is not an image that can be read", "pixels.smooth", "gray=scale.py", "radius=1")
    fails(project, 901, "FILE@X,Y,WIDTH,HEIGHT", "pixels.smooth", "gray=gray.png@1,2", "radius=1", status=2)
    fails(project, 314, "takes a table, which has no parts", "scale.json", "table=t.csv@0,0,1,1", "factor=1", "mode=work")
    fails(project, 316, "is not empty | name a new folder with -o", "pixels.smooth", "gray=gray.png", "radius=1", "-o", "part")
    fails(project, 901, "'nothing' is not a setting", "pixels.smooth", "nothing", status=2)


def main():
    support.need_program()
    project = support.scratch() / "project"
    project.mkdir()
    (project / "scale.py").write_text(COMMAND, encoding="utf-8")
    (project / "scale.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    call("init", "--demo", "nuclei", project / "demo")
    shutil.copy(project / "demo/slide.png", project)
    check_images(project)
    check_command(project)
    check_numbers(project)
    check_encodings(project)
    if not support.SANITIZED:
        check_crash(project)
    check_faults(project)
    support.finish()


main()
