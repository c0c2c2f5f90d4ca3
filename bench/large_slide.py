#!/usr/bin/env python3
"""Draws a large synthetic slide and measures what whole-slide analysis costs on it.

SPDX-License-Identifier: Apache-2.0

usage: bench/large_slide.py [-o FOLDER] [--side PX] [--tiles 512,1000,4096] [--memory 1G] [--draw-only]

The slide is a mosaic of patches of the demo's generator (2,000 px each, 24 different ones) on glass, as a tiled, pyramidal
JPEG TIFF; its truth is a mask of the same size. The workflow workflows/components is run on it with every tile size:

  equal     tables, shapes and masks of all tile sizes are the same bytes
  peak      most resident memory of the process
  per px    CPU time by pixel that is segmented (with halos), against the same tiles cut out as images of their own
  glass     CPU time by tile of a slide without tissue, against that by tile with tissue: to look for tissue and to plan.
            The files of such a slide (a mask with its levels, a picture) cost by its size, not by tile: printed, too
  stitching CPU time of what joins the tiles, against that of segmenting them, with and without reading
  scores    the objects found against the nuclei drawn

Prints one JSON object, and a table on standard error. FOLDER keeps the slide for the next time. Needs `make bench` and vips.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESSERA = ROOT / "build/tessera"
DRAW = ROOT / "build/bench_draw_slide"
WORKFLOW = ROOT / "workflows/components/workflow.json"
PATCH = 2000
DIFFERENT = 24
GLASS = (243, 242, 244)  # what the generator gives glass
HALO = 50                # what tessera sets where radius and extent do not vary: radius + extent + 1
SINGLE_PX = 50_000_000   # so many pixels of single tiles are enough for a time per pixel
JPEG = "tile,tile-width=256,tile-height=256,pyramid,compression=jpeg,Q=92,bigtiff,xres=2000,yres=2000"
DEFLATE = "tile,tile-width=256,tile-height=256,compression=deflate,bigtiff"
LIMITS = {"per_px_against_single_tiles": 1.1, "glass_against_tissue_tile": 0.01, "stitching_share": 0.03}


# ---- the slide ----

def vips(*words):
    subprocess.run(["vips", *map(str, words)], check=True)


def is_tissue(column, row, across):
    """A round piece of tissue and a small one beside it: about half of the slide."""
    x, y = (column + 0.5) / across - 0.42, (row + 0.5) / across - 0.45
    small = math.hypot((column + 0.5) / across - 0.88, (row + 0.5) / across - 0.86) < 0.09
    return math.hypot(x, y) < 0.38 or small


def draw_patches(folder):
    """p0.v is glass and m0.v its mask, p1.v to p24.v are tissue; how many nuclei each of them has."""
    nuclei = [0]
    image, mask = folder / "p.png", folder / "m.png"
    for seed in range(1, DIFFERENT + 1):
        words = [str(word) for word in (DRAW, PATCH, PATCH, seed, image, mask)]
        nuclei.append(int(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
        vips("copy", image, folder / f"p{seed}.v")
        vips("copy", mask, folder / f"m{seed}.v")
    vips("black", folder / "m0.v", PATCH, PATCH)
    vips("black", folder / "black.v", PATCH, PATCH, "--bands", 3)
    vips("linear", folder / "black.v", folder / "p0.v", "1 1 1", " ".join(map(str, GLASS)), "--uchar")
    return nuclei


def join_patches(folder, letter, places, across, target):
    names = " ".join(str(folder / f"{letter}{place}.v") for place in places)
    vips("arrayjoin", names, target, "--across", across)


def draw(folder, side):
    """slide.tif, truth.tif, and glass.tif of the same size; what is known about them."""
    notes = folder / "slide.json"
    across = side // PATCH
    if notes.exists():
        facts = json.loads(notes.read_text(encoding="utf-8"))
        if facts["side"] == across * PATCH:
            return facts
    folder.mkdir(parents=True, exist_ok=True)
    nuclei = draw_patches(folder)
    places = [1 + (7 * row + 3 * column) % DIFFERENT if is_tissue(column, row, across) else 0
              for row in range(across) for column in range(across)]
    join_patches(folder, "p", places, across, f"{folder / 'slide.tif'}[{JPEG}]")
    join_patches(folder, "m", places, across, f"{folder / 'truth.tif'}[{DEFLATE}]")
    join_patches(folder, "p", [0] * len(places), across, f"{folder / 'glass.tif'}[{JPEG}]")
    facts = {"side": across * PATCH, "nuclei_drawn": sum(nuclei[place] for place in places),
             "tissue_share": sum(place > 0 for place in places) / len(places)}
    for file in (*folder.glob("*.v"), folder / "p.png", folder / "m.png"):
        file.unlink()
    notes.write_text(json.dumps(facts), encoding="utf-8")
    return facts


# ---- runs ----

class Run:
    """One run of the workflow in a process of its own, with an empty store; `out` keeps its files."""

    def __init__(self, folder, rows, tile, tissue, options, *more):
        """rows: of the manifest, with its head; tile: 0 for whole images, whose files have no picture of the image beside
        them: it would cost more than the rest."""
        self.out = folder / "out"
        for old in (self.out, folder / "store"):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copy(WORKFLOW, folder)
        (folder / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        data = {"manifest": "data.csv", "tile": tile}
        study = {"tessera": 1, "name": "large", "workflow": "workflow.json", "data": data, "method": {"name": "morris"},
                 "parameters": ["below"], "outputs": ["features.summary:count"]}
        (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
        words = [TESSERA, "-C", folder, "run", "study.json", "--json", "--progress=none", "--store",
                 "store", "--output", "out", "--memory", options.memory, "--jobs", options.jobs, "--tissue", tissue,
                 *([] if tile else ["--per-tile"]), *more]
        self.read(folder / "reply.json", list(map(str, words)))
        shutil.rmtree(folder / "store", ignore_errors=True)

    def read(self, path, words):
        start = time.monotonic()
        with open(path, "w", encoding="utf-8") as file:
            process = subprocess.Popen(words, stdout=file)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(words)}: exit {process.returncode}")
        self.wall_s = time.monotonic() - start
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.peak_bytes = usage.ru_maxrss * 1024
        self.reply = json.loads(path.read_text(encoding="utf-8"))

    def pixels_of(self, stage):
        return max(row["px"] for row in self.reply["by_task"] if row["stage"] == stage)

    def cpu_ns_per_px(self):
        """By pixel that is segmented, halos included."""
        return 1e9 * self.cpu_s / self.pixels_of("segment")

    def cpu_s_of(self, *stages):
        return sum(row["cpu_s"] for row in self.reply["by_task"] if row["stage"] in stages)

    def digests(self):
        """Of all files but the record of the run."""
        found = {}
        for path in sorted(self.out.rglob("*")):
            if path.is_file() and path.name != "run.json":
                with open(path, "rb") as file:
                    found[str(path.relative_to(self.out))] = hashlib.file_digest(file, "sha256").hexdigest()
        return found


def tissue_tiles(side, tile):
    """Tiles with their halo that lie on patches of tissue, in the order of the grid."""
    across = side // PATCH
    for top in range(0, side, tile):
        for left in range(0, side, tile):
            x, y = max(left - HALO, 0), max(top - HALO, 0)
            right, bottom = min(left + tile + HALO, side), min(top + tile + HALO, side)
            corners = [(column, row) for column in range(x // PATCH, (right - 1) // PATCH + 1)
                       for row in range(y // PATCH, (bottom - 1) // PATCH + 1)]
            if all(is_tissue(column, row, across) for column, row in corners):
                yield x, y, right - x, bottom - y


def cut_tiles(folder, side, tile):
    """Some tiles of the slide as images of their own; the rows of their manifest."""
    places = list(tissue_tiles(side, tile))
    wanted = min(max(SINGLE_PX // (tile + 2 * HALO) ** 2, 2), len(places))
    rows = ["image,reference"]
    for number in range(wanted):
        place = places[number * len(places) // wanted]
        for name, target in (("slide", f"single{number}.tif[{JPEG.replace('pyramid,', '')}]"),
                             ("truth", f"single-truth{number}.tif[{DEFLATE}]")):
            vips("crop", folder / f"{name}.tif", folder / target, *place)
        rows.append(f"single{number}.tif,single-truth{number}.tif")
    return rows


def measure_single_tiles(folder, side, tile, options):
    rows = cut_tiles(folder, side, tile)
    if len(rows) == 1:
        return None
    run = Run(folder, rows, 0, "off", options)
    for file in folder.glob("single*.tif"):
        file.unlink()
    return {"tiles": len(rows) - 1, "cpu_ns_per_px": run.cpu_ns_per_px(), "cpu_s": run.cpu_s}


def measure_glass(folder, tile, options):
    """A slide without tissue, of which one tile is kept; look: for tissue, and planning, without a run."""
    run = Run(folder, ["image", "glass.tif"], tile, "on", options)
    look = Run(folder, ["image", "glass.tif"], tile, "on", options, "--dry-run")
    tissue = run.reply["tissue"][0]
    return {"tiles": tissue["tiles"], "without_tissue": tissue["without_tissue"], "cpu_s": run.cpu_s,
            "wall_s": run.wall_s, "peak_bytes": run.peak_bytes, "look_cpu_s": look.cpu_s}


def measure_tile_size(folder, side, tile, options):
    run = Run(folder, ["image,reference", "slide.tif,truth.tif"], tile, "on", options)
    tissue = run.reply["tissue"][0]
    with_tissue = tissue["tiles"] - tissue["without_tissue"]
    scores = {name: value for row in run.reply["quality"] for name, value in row["values"].items()}
    facts = {
        "tile": tile, "tiles": tissue["tiles"], "without_tissue": tissue["without_tissue"], "wall_s": run.wall_s,
        "cpu_s": run.cpu_s, "peak_bytes": run.peak_bytes, "cpu_ns_per_px": run.cpu_ns_per_px(),
        "cpu_ns_per_core_px": 1e9 * run.cpu_s / (with_tissue / tissue["tiles"] * side ** 2),
        "segment_cpu_s": run.cpu_s_of("segment"), "join_cpu_s": run.cpu_s_of("features", "compare"), "scores": scores,
        "profile": run.reply["profile"], "reuse": run.reply["reuse"],
        "by_task_cpu_s": {f"{row['stage']}.{row['task']}": row["cpu_s"] for row in run.reply["by_task"]}}
    reading = run.reply["profile"]["read"]["cpu_s"]
    facts["stitching_share"] = facts["join_cpu_s"] / facts["segment_cpu_s"]
    facts["stitching_share_with_reading"] = facts["join_cpu_s"] / (facts["segment_cpu_s"] + reading)
    digests = run.digests()
    facts["glass"] = measure_glass(folder, tile, options)
    by_tile = run.cpu_s / with_tissue
    facts["glass_against_tissue_tile"] = facts["glass"]["look_cpu_s"] / facts["glass"]["tiles"] / by_tile
    facts["glass_with_files_against_tissue_tile"] = facts["glass"]["cpu_s"] / facts["glass"]["tiles"] / by_tile
    facts["single"] = measure_single_tiles(folder, side, tile, options)
    if facts["single"]:
        facts["per_px_against_single_tiles"] = facts["cpu_ns_per_px"] / facts["single"]["cpu_ns_per_px"]
    return facts, digests


# ---- what came out ----

def compare(digests):
    """Which files are the same bytes for all tile sizes."""
    names = sorted(set().union(*digests))
    return {name: len({found.get(name) for found in digests}) == 1 for name in names}


def exceeded(sizes, equal, memory_bytes):
    found = [f"{name} differs between tile sizes" for name, same in equal.items() if not same]
    for facts in sizes:
        for name, limit in LIMITS.items():
            if facts.get(name, 0) > limit:
                found.append(f"tile {facts['tile']}: {name} {facts[name]:.3f}, limit {limit}")
        if facts["peak_bytes"] > memory_bytes:
            found.append(f"tile {facts['tile']}: peak {facts['peak_bytes'] / 2**20:.0f} MiB, limit "
                         f"{memory_bytes / 2**20:.0f} MiB")
    return found


def show(facts):
    print(f"{'tile':>6} {'tiles':>6} {'glass':>6} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9} {'ns/px':>7} {'single':>7} "
          f"{'ratio':>6} {'glass':>7} {'stitch':>7}", file=sys.stderr)
    for row in facts["sizes"]:
        single = row["single"]["cpu_ns_per_px"] if row["single"] else math.nan
        print(f"{row['tile']:6} {row['tiles']:6} {row['without_tissue']:6} {row['wall_s']:8.1f} {row['cpu_s']:8.1f} "
              f"{row['peak_bytes'] / 2**20:9.0f} {row['cpu_ns_per_px']:7.1f} {single:7.1f} "
              f"{row['cpu_ns_per_px'] / single:6.3f} {row['glass_against_tissue_tile']:7.4f} "
              f"{row['stitching_share']:7.4f}", file=sys.stderr)
    for name, same in facts["equal"].items():
        print(f"{'equal' if same else 'DIFFERS'}: {name}", file=sys.stderr)
    for name, value in facts["sizes"][0]["scores"].items():
        print(f"{name}: {value}", file=sys.stderr)
    for line in facts["exceeded"]:
        print(f"EXCEEDED: {line}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/large-slide")
    parser.add_argument("--side", type=int, default=40000)
    parser.add_argument("--tiles", default="512,1000,4096")
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--draw-only", action="store_true")
    options = parser.parse_args()
    folder = options.output.resolve()
    facts = {"slide": draw(folder, options.side), "memory": options.memory, "jobs": options.jobs}
    if not options.draw_only:
        measured = [measure_tile_size(folder, facts["slide"]["side"], int(tile), options)
                    for tile in options.tiles.split(",")]
        facts["sizes"] = [row for row, _ in measured]
        facts["equal"] = compare([digests for _, digests in measured])
        units = {"K": 2**10, "M": 2**20, "G": 2**30}
        facts["exceeded"] = exceeded(facts["sizes"], facts["equal"],
                                     float(options.memory[:-1]) * units[options.memory[-1]])
        show(facts)
    print(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
