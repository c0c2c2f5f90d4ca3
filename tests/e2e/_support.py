"""What the end-to-end tests share: calling the program, skipping, temporary projects, a small PNG reader.

SPDX-License-Identifier: Apache-2.0
"""
import atexit
import csv
import hashlib
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("TESSERA", str(ROOT / "build/tessera"))
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED", ROOT / "../shared")).resolve()
SANITIZED = bool(os.environ.get("TESSERA_SANITIZE"))
faults = []
left_out = []


def skip(why):
    """Ends the test as skipped; tools/test-summary decides whether that is a failure."""
    print(f"SKIP: {why}")
    sys.exit(77)


def skip_part(why):
    """Notes that a part is left out and goes on: without faults the test then ends as skipped."""
    left_out.append(why)
    print(f"SKIP: {why}", flush=True)


def need_program():
    if not os.access(PROGRAM, os.X_OK):
        skip(f"there is no program {PROGRAM}")


def need_shared(*names):
    for name in names:
        if not (SHARED / name).exists():
            skip(f"there is no ../shared/{name}")


def vectors(name):
    """A file or folder of expected results: of tests/vectors, or of ../shared/vectors, which need not have it either."""
    own = ROOT / "tests/vectors" / name
    return own if own.exists() else SHARED / "vectors" / name


def check(condition, what):
    """Notes a fault and goes on: one run of a test shows everything that is wrong."""
    if not condition:
        faults.append(what)
        print(f"FAULT: {what}", flush=True)
    return bool(condition)


def equal(found, wanted, what):
    return check(found == wanted, f"{what}: {found!r}, not {wanted!r}")


def say(text):
    print(text, flush=True)


def finish():
    say(f"{len(faults)} faults" if faults else "no fault")
    sys.exit(1 if faults else 77 if left_out else 0)


def scratch():
    """A folder that is removed when the test ends."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-e2e-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


SETTINGS = ("TESSERA_JOBS", "TESSERA_STORE", "TESSERA_COLOR", "TESSERA_PROGRESS", "TESSERA_SCRATCH", "TESSERA_DATA",
            "TESSERA_OPERATIONS", "NO_COLOR")


def environment(**more):
    """The tester's own settings must not reach the program; commands find the interpreter that runs the test."""
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    path = f"{os.path.dirname(sys.executable)}:{kept.get('PATH', '/usr/bin:/bin')}"
    return {**kept, "PATH": path, "XDG_CONFIG_HOME": "/nonexistent", "LC_ALL": "C.UTF-8", **more}


def call(*words, cwd=None, expect=0, timeout=300, env=None):
    """Runs the program; `expect` is the exit status that is right, or None for any."""
    words = [str(word) for word in words]
    run = subprocess.run([PROGRAM, *words], cwd=cwd, env=env or environment(), stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=timeout)
    if expect is not None and run.returncode != expect:
        said = run.stdout[-2000:] + run.stderr[-4000:]
        check(False, f"tessera {' '.join(words)[:300]}: exit {run.returncode}, not {expect}\n{said}")
    return run


def call_json(*words, **options):
    """The object that the program prints with --json; {} if it prints none."""
    run = call(*words, "--json", "--progress=none" if words[0] in ("run", "study") else "--color=never", **options)
    try:
        return json.loads(run.stdout)
    except ValueError as error:
        said = run.stdout[:500] + run.stderr[:2000]
        check(False, f"tessera {' '.join(map(str, words))[:200]} --json printed no object: {error}\n{said}")
        return {}


def init_nuclei(folder):
    """The demo, its study compared with the default run: without a goal nothing runs beside its sets (e2e.best)."""
    call("init", "--demo", "nuclei", folder)
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study["outputs"] = study["outputs"][::-1]
    (folder / "study.json").write_text(json.dumps({**study, "reference": "default"}), encoding="utf-8")


def init_tiles(folder):
    """The same with the workflow that looks at each tile by itself: four stages per tile, nothing is joined."""
    init_nuclei(folder)
    shutil.copy(ROOT / "workflows/nuclei-tiles/workflow.json", folder / "workflow.json")
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study["data"]["halo"] = 0
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")


def executed(reply):
    """How often each task was executed, by its name."""
    return {f"{row['stage']}.{row['task']}": row["executed"] for row in reply.get("by_task", [])}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def files_below(folder):
    """Path -> content of every file below a folder."""
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def results_below(folder):
    """The same without run.json, which names the run and its command."""
    return {name: content for name, content in files_below(folder).items() if name != "run.json"}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- PNG: 8 or 16 bit grey or RGB, not interlaced; enough for what libvips writes. ----

CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def unfilter(kind, row, above, step):
    """Undoes the filter of one row; both are bytearrays, `row` is changed."""
    if kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 2:
        for i, up in enumerate(above):
            row[i] = (row[i] + up) & 255
    elif kind == 3:
        for i, up in enumerate(above):
            left = row[i - step] if i >= step else 0
            row[i] = (row[i] + ((left + up) >> 1)) & 255
    elif kind == 4:
        for i, up in enumerate(above):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            nearest = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
            row[i] = (row[i] + nearest) & 255
    return row


def read_png(path):
    """Width, height, channels, bits and the raw bytes (16 bit: high byte first)."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    at, packed, header = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, bits, colour, _, _, interlaced = header
    assert bits in (8, 16) and colour in CHANNELS and not interlaced, f"{path}: bits {bits}, colour {colour}"
    step = CHANNELS[colour] * bits // 8
    length, raw = width * step, zlib.decompress(packed)
    above, rows = bytearray(length), []
    for y in range(height):
        start = y * (length + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + length]), above, step)
        rows.append(bytes(above))
    return width, height, CHANNELS[colour], bits, b"".join(rows)
