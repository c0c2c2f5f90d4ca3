"""What the reuse benchmarks share: projects of the nuclei workflow, with and without its normalisation.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))
import _support as support  # noqa: E402 (the path comes first)
from _support import SHARED, call  # noqa: E402

MOAT = SHARED / "data/moat458.csv"
TISSUE = SHARED / "data/histology/tiatoolbox/target_image.png"
DETAIL = SHARED / "data/histology/openslide-os/OS-1-detail.rgb.png"
SLIDE = SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"
WORKFLOW = support.ROOT / "workflows/nuclei-tiles/workflow.json"
OUTPUTS = [{"output": "compare.table:diff", "over_tiles": "sum"}, "compare.table:dice"]


def need_images():
    support.need_program()
    support.need_shared(*(str(path.relative_to(SHARED)) for path in (MOAT, TISSUE, DETAIL, SLIDE)))


def crop(source, image, x, y, width, height):
    """A part of an image as PNG; the alpha channel is left out."""
    part = image.with_suffix(".v")
    for words in (["crop", source, part, x, y, width, height], ["extract_band", part, image, 0, "--n", 3]):
        subprocess.run(["vips", *map(str, words)], check=True)
    part.unlink()
    return image


def cut_tiles(work):
    """16 tiles of three slides, a file each."""
    places = [(SLIDE, 740 * x, 740 * y) for y in range(4) for x in range(3)]
    places += [(TISSUE, 0, 0), (TISSUE, 260, 260), (DETAIL, 0, 0), (DETAIL, 361, 361)]
    return [crop(source, work / f"tile{i:02}.png", x, y, 740, 740) for i, (source, x, y) in enumerate(places)]


def three_images(work):
    """An image of each slide, the one from the Aperio slide cut out."""
    return [TISSUE, DETAIL, crop(SLIDE, work / "svs.png", 600, 900, 1024, 1024)]


def read_workflow(normalise=True):
    """The workflow; on an image that is normalised already it has no such stage."""
    workflow = json.loads(WORKFLOW.read_text(encoding="utf-8"))
    if normalise:
        return workflow
    workflow["stages"] = [stage for stage in workflow["stages"] if stage["name"] != "normalise"]
    for stage in workflow["stages"]:
        stage["in"] = {port: "image" if source == "normalise.image" else source for port, source in stage["in"].items()}
    return workflow


def make_project(folder, images, normalise=True):
    folder.mkdir()
    study = {"tessera": 1, "name": "speed", "workflow": "workflow.json", "data": {"files": [str(i) for i in images]},
             "outputs": OUTPUTS, "reference": "default"}
    (folder / "workflow.json").write_text(json.dumps(read_workflow(normalise)), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


def normalise_once(images, work):
    """The normalised images, under the names of the images, so that results have the same rows."""
    folder = work / "normalised"
    folder.mkdir()
    for image in images:
        call("run", WORKFLOW, "--only", "normalise", "--data", image, "--store", "memory", "--progress=none", "-o",
             work / "once")
        (work / "once" / image.stem / "normalise.image.png").rename(folder / f"{image.stem}.png")
    return [folder / f"{image.stem}.png" for image in images]
