#!/usr/bin/env python3
"""Collects the seeds of every fuzz target in BUILD/corpus: files of the checkout, and what vips and the program make.

SPDX-License-Identifier: Apache-2.0

Usage: make_corpus.py BUILD-FOLDER. Seeds that are there already are kept, with what earlier runs have found.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = [".png", ".png[interlace]", ".png[palette]", ".png[bitdepth=1]", ".jpg", ".jpg[interlace]", ".tif",
            ".tif[compression=lzw]", ".tif[compression=deflate,predictor=horizontal]", ".tif[compression=jpeg]",
            ".tif[compression=packbits]", ".tif[tile,tile-width=16,tile-height=16]", ".tif[bigtiff]",
            ".tif[pyramid,tile,tile-width=16,tile-height=16]", ".tif[pyramid,subifd,tile,tile-width=16,tile-height=16]"]
TABLES = ["a,b\n1,2\n,nan\n", "x\n1e-7\n-inf\n", '"a ""b"", c",d\r\n"1",2\r\n', "\ufeffarea\n3\n"]
DESIGNS = ["B,G,R\n220,220,220\n", "T1,T2\n5,4\n2.5,7.5\n", "FH,RC,WConn\n4,8,8\n", "minSize,maxSize\n11,1000\n",
           '"G1"\r\n80\r\n', "nothing\n1\n", "G1,G1\n5,10\n"]

MANIFESTS = ["found,reference,patient,site,mpp,level,tissue,split\na.png,b.png,p1,north,0.25,0,b.png,train\n"
             "b.png,t.geojson,p1,south,,,off,test\n\"a.png\",t.geojson,\"p 2, x\",west,1e0,0.0,,\r\n",
             "found,reference,patient,site\na.png,b.png,p,north\nb.png,a.png,p,south\n", "found;reference\na.png;b.png\n",
             "site,mpp,mpp\nnorth,0,x\n", "\ufefffound,reference,patient,site,split\nb.png,a.png,p,west,Test\n"]

SPACES = ['{"parameters": [{"name": "x", "type": "real", "range": [0, 1]}]}',
          '{"parameters": [{"name": "a", "type": "integer", "grid": {"from": 1, "to": 9, "step": 2}, "group": "g"},'
          ' {"name": "b", "type": "string", "grid": ["p", "q"], "weights": [1, 3]}], "constraints": ["a < 8"]}',
          '{"parameters": [{"name": "n", "type": "real", "distribution": {"normal": {"mean": 1, "sd": 2}}},'
          ' {"name": "t", "type": "real", "distribution": {"triangular": {"low": 0, "mode": 1, "high": 3}}},'
          ' {"name": "l", "type": "real", "range": [1, 100], "distribution": "log-uniform"}],'
          ' "correlations": [{"between": ["n", "t"], "rank": 0.5}]}']


def copy_all(folder, pattern, target):
    for index, source in enumerate(sorted(folder.glob(pattern))):
        shutil.copy(source, target / f"{source.parent.name}-{index}{source.suffix}")


def write_all(texts, target):
    for index, text in enumerate(texts):
        (target / f"seed-{index}").write_bytes(text.encode())


def make_pictures(target):
    """A few pixels in every form that is read: grey, colour and alpha, 8 and 16 bits, strips, tiles and levels."""
    for bands in (1, 3, 4):
        raw = target / "raw.v"
        subprocess.run(["vips", "black", str(raw), "40", "24", "--bands", str(bands)], check=True)
        for index, ending in enumerate(PICTURES):
            if bands == 4 and "jp" in ending:
                continue
            subprocess.run(["vips", "copy", str(raw), f"{target}/{bands}-{index}{ending}"], check=True)
        subprocess.run(["vips", "cast", str(raw), f"{target}/{bands}-wide.png", "ushort"], check=True)
        subprocess.run(["vips", "cast", str(raw), f"{target}/{bands}-wide.tif", "ushort"], check=True)
        raw.unlink()


GRAPHS = (
    '{"name": "g", "tasks": [{"id": 1, "time": 10}, {"id": "b", "time": 2.5, "replicable": false}], '
    '"edges": [{"from": 1, "to": "b", "time": 8}]}',
    '{"tasks": [{"id": 1, "time": 1}, {"id": 2, "time": 1}], "edges": [{"from": 1, "to": 2, "bytes": 4e6}]}',
    '{"name": "w", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"id": "a", "name": "a", "parents": [], '
    '"children": ["b"], "inputFiles": [], "outputFiles": ["f"]}, {"id": "b", "name": "b", "parents": ["a"], "children": [], '
    '"inputFiles": ["f"], "outputFiles": []}], "files": [{"id": "f", "sizeInBytes": 7}]}, "execution": {"tasks": '
    '[{"id": "a", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 2}]}}}',
    '{"workflow": {"tasks": [{"name": "a", "runtime": 1, "files": [{"name": "f", "link": "output", "size": 3}]}, '
    '{"name": "b", "runtime": 1, "parents": ["a"], "files": [{"name": "f", "link": "input", "size": 3}]}]}}',
    '<adag name="d"><job id="a" runtime="1"><uses file="f" link="output" size="5"/></job><job id="b" runtime="2">'
    '<uses file="f" link="input" size="5"/></job><child ref="b"><parent ref="a"/></child></adag>',
    "2\n0 0 0\n1 5 1 0\n2 4 1 1\n3 0 2 1 2\n# end\n")


RING = "[[0, 0], [9, 0.5], [9, 9], [0, 0]]"
GEOJSON = (
    '{"type": "FeatureCollection", "features": [{"type": "Feature", "id": "a", "geometry": {"type": "Polygon", "coordinates": '
    f'[{RING}, [[5, 2], [6, 2], [6, 3]]]}}, "properties": {{"objectType": "detection", "measurements": {{"Area": NaN}}}}}}]}}',
    f'[{{"type": "Feature", "geometry": {{"type": "MultiPolygon", "coordinates": [[{RING}], [{RING}]]}}}}]',
    f'{{"type": "Feature", "geometry": {{"type": "Polygon", "coordinates": [{RING}]}}}}',
    '[{"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}}]')


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folders = {}
    for source in sorted((ROOT / "tests/fuzz").glob("fuzz_*.c")):
        name = source.stem.removeprefix("fuzz_")
        folders[name] = build / "corpus" / name
        folders[name].mkdir(parents=True, exist_ok=True)
    for pattern, name in (("*/workflow.json", "workflow"), ("*/study.json", "study")):
        copy_all(ROOT / "tests/cases", pattern, folders[name])
        copy_all(ROOT / "workflows", pattern, folders[name])
    copy_all(ROOT / "workflows", "*/fit.json", folders["manifest"])
    copy_all(ROOT / "workflows", "*/data/*.csv", folders["table"])
    copy_all(build, "plugins/*.so", folders["elf"])
    write_all(TABLES, folders["table"])
    write_all(DESIGNS, folders["design"])
    write_all(TABLES + DESIGNS, folders["runs"])
    write_all(SPACES, folders["space"])
    write_all(MANIFESTS, folders["dataset"])
    write_all(GRAPHS, folders["graph"])
    write_all(GEOJSON, folders["geojson"])
    make_pictures(folders["image"])
    made = [str(folders[name]) for name in ("data", "remote", "pieces", "shapes")]
    subprocess.run([str(build / "fuzz_seeds"), *made], check=True)


main()
