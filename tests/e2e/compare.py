#!/usr/bin/env python3
"""'tessera compare': counts of pixels and objects are those of the masks in the folders, counted here; the page is whole
and opens without a fault; what cannot be compared is said.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)
test-timeout: 200
"""
import json
import re
import shutil
import subprocess

import _support as support
from _support import call, call_json, check, equal, say


def run(folder, *words):
    reply = call_json("run", "-C", folder, *words)
    return reply["run"], reply


def compare(folder, *words, expect=0):
    return call_json("compare", "-C", folder, *words, expect=expect)


def mask_of(folder, reply):
    path = next(path for path in reply["outputs"] if path.endswith("segment.mask.png"))
    return read_mask(folder / path)


def read_mask(path):
    """Width, height and the set of pixels of objects, as y * width + x."""
    width, height, channels, bits, raw = support.read_png(path)
    equal((channels, bits), (1, 8), f"form of {path}")
    return width, height, {at for at, value in enumerate(raw) if value}


def objects(width, pixels):
    """Pieces of pixels that touch by sides or corners."""
    left, found = set(pixels), []
    while left:
        todo, piece = [left.pop()], set()
        while todo:
            at = todo.pop()
            piece.add(at)
            x = at % width
            near = [at + dy * width + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1) if 0 <= x + dx < width]
            found_near = [pixel for pixel in near if pixel in left]
            left.difference_update(found_near)
            todo += found_near
        found.append(piece)
    return found


def expected(first, second):
    """The counts of a pair of masks."""
    (width, _, a), (_, _, b) = first, second
    pieces_a, pieces_b = objects(width, a), objects(width, b)
    return {"both_px": len(a & b), "only_first_px": len(a - b), "only_second_px": len(b - a),
            "objects_first": len(pieces_a), "objects_second": len(pieces_b),
            "only_first_objects": sum(not piece & b for piece in pieces_a),
            "only_second_objects": sum(not piece & a for piece in pieces_b)}


def check_counts(folder, ids, replies, masks):
    reply = compare(folder, *ids)
    equal(reply["schema"], "tessera.compare/1", "schema")
    equal([entry["run"] for entry in reply["runs"]], ids, "runs")
    wanted = [{"name": "G1", "values": dict(zip(ids, (80, 60, 80)))}, {"name": "minSize", "values": dict(zip(ids, (11, 11, 40)))}]
    equal([{key: entry[key] for key in ("name", "values")} for entry in reply["parameters"]], wanted, "parameters")
    equal([entry["params"] for entry in reply["runs"]],
          [{"G1": 80, "minSize": 11}, {"G1": 60, "minSize": 11}, {"G1": 80, "minSize": 40}], "parameters by run")
    equal(reply["differs"], [], "nothing else differs")
    scores = {entry["measure"]: entry for entry in reply["measures"]}
    for name in ("dice", "found", "aji"):
        values = [run["quality_over_files"][0]["values"][name] for run in replies]
        equal(list(scores[name]["values"].values()), values, f"{name} of the runs")
        equal(list(scores[name]["difference"].values()), [value - values[0] for value in values[1:]], f"{name}, differences")
        equal(scores[name]["against"], "truth", "against")
    (entry,) = reply["files"]
    equal((entry["file"], entry["product"]), ("slide", "segment.mask"), "the only mask")
    for pair, mask in zip(entry["pairs"], masks[1:]):
        counts = expected(masks[0], mask)
        equal({name: pair[name] for name in counts}, counts, f"pair of {pair['first']} and {pair['second']}")
        either = counts["both_px"] + counts["only_first_px"] + counts["only_second_px"]
        check(abs(pair[f"jaccard_vs_{ids[0]}"] - counts["both_px"] / either) < 1e-12, "Jaccard index")
        check(abs(pair[f"dice_vs_{ids[0]}"] - 2 * counts["both_px"] / (either + counts["both_px"])) < 1e-12, "Dice")
    equal([pair["second"] for pair in entry["pairs"]], ids[1:], "every run beside the first")
    text = call("compare", "-C", folder, *ids[:2]).stdout
    check("G1" in text and "dice" in text and "Masks, beside those of run" in text, f"text: {text}")
    say(f"{len(entry['pairs'])} pairs as counted here: {entry['pairs'][0]}")
    return entry["pairs"]


def check_places(folder, ids, pairs):
    """From the store when the folder is gone, from the folder when the store has nothing, also in a project that was
    moved; else what to do."""
    elsewhere = shutil.copytree(folder, folder.parent / "no-folder")
    shutil.rmtree(elsewhere / "out")
    emptied = shutil.copytree(folder, folder.parent / "no-store")
    hidden = folder.rename(folder.parent / "hidden")
    equal(compare(elsewhere, *ids)["files"][0]["pairs"], pairs, "pairs of masks in the store")
    call("store", "gc", "-C", emptied, "--keep-runs=0", "--yes")
    equal(compare(emptied, *ids)["files"][0]["pairs"], pairs, "pairs of masks in folders")
    shutil.rmtree(emptied / "out")
    reply = compare(emptied, *ids)
    equal(reply["files"][0]["pairs"], [], "pairs of masks that are nowhere")
    check(any("run it again with: tessera run" in text for text in reply["warnings"]), f"warnings: {reply['warnings']}")
    check(reply["measures"] and reply["parameters"], "numbers without masks")
    (emptied / "slide.png").unlink()
    reply = compare(emptied, *ids)
    check(any("are not compared" in text and "slide.png" in text for text in reply["warnings"]),
          f"without the data: {reply['warnings']}")
    check(reply["measures"] and reply["parameters"] and not reply["files"], "numbers without data")
    hidden.rename(folder)


def check_page(folder, ids):
    page = folder / "compare.html"
    reply = compare(folder, *ids[:2], "--report", "compare.html")
    html = page.read_text(encoding="utf-8")
    equal(reply["report"], "compare.html", "report")
    pictures = re.findall(r'<img alt="([^"]*)" width="(\d+)" height="(\d+)" src="data:image/(jpeg|png);base64', html)
    equal([picture[3] for picture in pictures], ["jpeg", "jpeg", "jpeg", "png"], "pictures")
    check(all(int(width) <= 1024 for _, width, _, _ in pictures), f"widths: {pictures}")
    check("default-src 'none'" in html and "<script>" not in html, "the page may do more than show")
    inside = re.search(r'<script type="application/json" id="tessera-result">(.*?)</script>', html, re.DOTALL)
    equal(json.loads(inside.group(1))["files"], reply["files"], "the result in the page")
    check(len(html) < 4_000_000, f"the page has {len(html)} bytes")
    for tag in ("section", "table", "div", "figure", "ul"):
        equal(len(re.findall(f"<{tag}[ >]", html)), html.count(f"</{tag}>"), f"<{tag}> and </{tag}>")
    check_browser(page)


def check_browser(page):
    """Chromium shows every picture in its own size, and logs nothing."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        support.skip_part("there is no Chromium")
        return
    home = str(page.parent / "home")
    shown = subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            f"--user-data-dir={home}/profile", "--window-size=1200,900",
                            f"--screenshot={page.parent}/page.png", page.as_uri()], capture_output=True, text=True,
                           timeout=120, check=False,
                           env=support.environment(HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home))
    picture = page.parent / "page.png"
    check(picture.exists() and picture.stat().st_size > 20_000, f"no picture of the page: {shown.stderr[-500:]}")


def check_others(folder, ids):
    """Another workflow, other data: what they share is compared, the rest is named."""
    workflow = json.loads((folder / "workflow.json").read_text(encoding="utf-8"))
    workflow["help"] = "another one"
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    other, _ = run(folder, "--tile", "256")
    what = {entry["what"]: entry["names"] for entry in compare(folder, ids[0], other)["differs"]}
    check("workflow" in what and "tiles" in what, f"what differs: {what}")
    text = call("compare", "-C", folder, ids[0], other).stdout
    check(f"Run {other} differs from run {ids[0]} in: workflow" in text, f"text: {text}")


def check_errors(folder, ids):
    study = call_json("study", "-C", folder, "--trajectories=2")["run"]
    for words, code, text in (
            ((ids[0],), 2, "two runs or more are compared, and one was named"),
            ((), 2, "'compare' needs RUN"),
            ((ids[0], "00000000"), 3, "there is no run '00000000' in the store"),
            ((ids[0], ids[0]), 2, f"run {ids[0]} is named twice"),
            ((ids[0], study), 2, "make a run of one of its sets with: tessera run"),
            ((ids[0], ids[1], "--report", "nowhere/page.html"), 3, "nowhere")):
        said = call("compare", "-C", folder, *words, expect=code).stderr
        check(text in said, f"compare {' '.join(words)}: {said}")


def main():
    support.need_program()
    folder = support.scratch() / "project"
    call("init", "--demo", "nuclei", folder)
    runs = [run(folder), run(folder, "-p", "G1=60"), run(folder, "-p", "minSize=40")]
    ids, replies = [name for name, _ in runs], [reply for _, reply in runs]
    masks = [mask_of(folder, reply) for reply in replies]
    pairs = check_counts(folder, ids, replies, masks)
    check_places(folder, ids, pairs)
    check_page(folder, ids)
    check_others(folder, ids)
    check_errors(folder, ids)
    support.finish()


if __name__ == "__main__":
    main()
