#!/usr/bin/env python3
"""Runs a study on one large tile without a budget and with a part and half of what that took: the process stays within it.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 900
"""
import json
import os
import shutil
import struct
import subprocess
import zlib

import _support as support
from _support import SHARED, check, equal, say

IMAGE = SHARED / "data/histology/tiatoolbox/target_image.png"
DESIGN = SHARED / "data/moat458.csv"
SETS = 60
SLACK_BYTES = 60_000_000  # what a process takes that does nothing, and the budget cannot know


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, width, height, rows):
    raw = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", raw) + chunk(b"IEND", b""))


def make_tile(path):
    """Tissue, mirrored to twice its size and that laid out 2 x 2: seams look like tissue."""
    width, height, channels, _, pixels = support.read_png(IMAGE)
    rows = [pixels[y * width * channels:(y + 1) * width * channels] for y in range(height)]
    if channels == 4:
        rows = [b"".join(row[i:i + 3] for i in range(0, len(row), 4)) for row in rows]
    rows = [row + b"".join(row[i:i + 3] for i in range(len(row) - 3, -1, -3)) for row in rows]
    rows = [row * 2 for row in rows + rows[::-1]] * 2
    write_png(path, len(rows[0]) // 3, len(rows), rows)


def make_project(folder):
    folder.mkdir()
    shutil.copy(support.ROOT / "workflows/nuclei-tiles/workflow.json", folder)
    make_tile(folder / "tile.png")
    lines = DESIGN.read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "sets.csv").write_text("".join(lines[:SETS + 1]), encoding="utf-8")
    study = {"tessera": 1, "name": "large", "workflow": "workflow.json", "data": {"files": ["tile.png"]},
             "outputs": [{"output": "compare.table:diff", "over_tiles": "sum"}], "reference": "default"}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


def study(project, name, *words):
    """The reply, results.csv, and the most memory the process held at once."""
    command = [support.PROGRAM, "study", "-C", project, "--design", "sets.csv", "-j", "2", "--store", f"store-{name}",
               "-o", f"out-{name}", "--json", "--progress=none", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=support.environment())
    reply = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    equal(status, 0, f"{name}: status of the process")
    reuse, peak = reply["reuse"], usage.ru_maxrss * 1024
    say(f"{name}: peak {peak / 1e6:.0f} MB, executed {reuse['executed']}, spilled {reuse['spilled']}, recomputed "
        f"{reuse['recomputed']}, waits {reuse['waits']}, CPU {reply['cpu_s']:.1f} s, wall {reply['wall_s']:.1f} s")
    return reply, (project / f"out-{name}/results.csv").read_bytes(), peak


def main():
    support.need_program()
    support.need_shared("data/moat458.csv", "data/histology/tiatoolbox/target_image.png")
    project = make_project(support.scratch() / "large")
    free, wanted, peak = study(project, "free")
    for share in (0.6, 0.5):
        budget = int(peak * share)
        name = f"share{share}"
        reply, found, most = study(project, name, "--memory", str(budget))
        check(found == wanted, f"{name}: results.csv differs from that of the free run")
        equal(support.executed(reply), support.executed(free), f"{name}: executed tasks")
        check(most <= budget + SLACK_BYTES, f"{name}: {most / 1e6:.0f} MB held with a budget of {budget / 1e6:.0f} MB")
        check(reply["reuse"]["spilled"] + reply["reuse"]["recomputed"] > 0, f"{name}: nothing spilled or recomputed")
    support.finish()


main()
