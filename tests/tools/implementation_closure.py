"""The digest of an operation covers the files that its code leads to, all of them and no others.
SPDX-License-Identifier: Apache-2.0

implementation_closure.py [--print]: the truth is in the object files of the build. From the object that has the operation's
name in it, undefined symbols lead to the objects that define them, and so on. The sources of these must be those that
tools/implementation-digest takes from src/**/IMPLEMENTATION, apart from its PLUMBING. --print prints them.
Guards invariant 1."""
import collections
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", SOURCE / "build"))
# What src/LAYERS allows an operation to use. Programs also replace functions of the C library, which leads nowhere here.
FOLLOWED = ("base", "data", "image", "kernels", "op", "ops")
# Covered though not reached: data/data.h has a type of base/digest.h, polygons.read uses types of data/data.h, and a header
# brings the .c file of its name.
SURPLUS = {("table.read", "base/digest.c"), ("polygons.read", "data/data.c")}
LIBRARIES = {"vips": "1", "openslide": "1"}
MEASURING = {"objects.measure", "objects.measure_tile"}
COLOURS = ("normalise", "normalise_slide", "stain")  # the operations on colours


def load_tool():
    sys.path.insert(0, str(SOURCE / "tools"))
    sys.dont_write_bytecode = True
    path = str(SOURCE / "tools" / "implementation-digest")
    loader = importlib.machinery.SourceFileLoader("implementation_digest", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


TOOL = load_tool()


def built_objects():
    """Source, relative to src/, to object file."""
    objects = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        file, words = pathlib.Path(entry["file"]), shlex.split(entry["command"])
        output = words[words.index("-o") + 1]
        if output.startswith("CMakeFiles/ts_") and file.is_relative_to(SOURCE / "src"):
            name = file.relative_to(SOURCE / "src")
            if name.parts[0] in FOLLOWED:
                objects[name.as_posix()] = pathlib.Path(entry["directory"], output)
    return objects


class Symbols:
    """Which source defines a symbol, and which symbols a source needs."""

    def __init__(self):
        self.defined_in = {}
        self.needed = collections.defaultdict(set)

    def add_objects(self, objects):
        command = ["nm", "--portability", "--extern-only", "--print-file-name", *objects.values()]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        source_of = {str(file): source for source, file in objects.items()}
        for line in listing.splitlines():
            file, _, symbol = line.partition(": ")
            source, (name, kind, *_) = source_of[file], symbol.split()
            if kind in "Uwv":
                self.needed[source].add(name)
            else:
                self.defined_in[name] = source

    def reach(self, source):
        """Each source that this one leads to, with the symbol and the source that led there."""
        found, waiting = {source: None}, [source]
        while waiting:
            at = waiting.pop()
            for symbol in sorted(self.needed[at]):
                to = self.defined_in.get(symbol)
                if to and to not in found and not TOOL.is_plumbing(to):
                    found[to] = (symbol, at)
                    waiting.append(to)
        return found


def faults_of(operation, reached, named, covered, built):
    """Compares sources: reached by symbols, named in IMPLEMENTATION, covered by the digest, present in the build."""
    faults = [f"{operation}: '{reached[file][1]}' uses {reached[file][0]} of '{file}', which is not named"
              for file in sorted(set(reached) - set(covered)) if reached[file]]
    for file in sorted(set(covered) & set(built) - set(reached)):
        how = "is named" if file in named else "is included"
        if file in named or (operation, file) not in SURPLUS:
            faults.append(f"{operation}: '{file}' {how}, but the operation does not lead to it")
    return faults


class Closure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.objects = built_objects()
        cls.symbols = Symbols()
        cls.symbols.add_objects(cls.objects)
        cls.digests = TOOL.read_tree(SOURCE / "src", LIBRARIES)
        texts = {source: file.read_bytes() for source, file in cls.objects.items() if source.startswith("ops/")}
        cls.reached = {}
        for operation in cls.digests.table:
            roots = [source for source, text in texts.items() if operation.encode() + b"\0" in text]
            assert len(roots) == 1, f"'{operation}' is defined in {roots}"
            cls.reached[operation] = cls.symbols.reach(roots[0])

    def sources(self, files):
        names = [file.relative_to(SOURCE / "src").as_posix() for file in files]
        return [name for name in names if name.endswith(".c")]

    def test_enough_was_found(self):
        self.assertGreater(len(self.objects), 100)
        self.assertGreater(len(self.reached), 10)

    def test_digests_cover_what_operations_use(self):
        faults = []
        for operation, reached in self.reached.items():
            named, covered = (self.sources(files[operation]) for files in (self.digests.named, self.digests.files))
            faults += faults_of(operation, reached, named, covered, self.objects)
        if faults:
            self.fail("\n".join(faults))

    def test_faults_are_found(self):
        reached = {"ops/a.c": None, "kernels/k.c": ("ts_k", "ops/a.c")}
        built = ["ops/a.c", "kernels/k.c", "kernels/other.c"]
        self.assertEqual(faults_of("a.a", reached, ["ops/a.c"], ["ops/a.c", "kernels/k.c"], built), [])
        # Not built for this processor.
        self.assertEqual(faults_of("a.a", reached, ["ops/a.c"], [*reached, "kernels/k_avx2.c"], built), [])
        self.assertEqual(faults_of("a.a", reached, ["ops/a.c"], ["ops/a.c"], built),
                         ["a.a: 'ops/a.c' uses ts_k of 'kernels/k.c', which is not named"])
        self.assertEqual(faults_of("a.a", reached, ["ops/a.c", "kernels/other.c"], built, built),
                         ["a.a: 'kernels/other.c' is named, but the operation does not lead to it"])


class Edits(unittest.TestCase):
    """What an edit of a comment changes, in a copy of the sources."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name, "src")
        shutil.copytree(SOURCE / "src", cls.root)
        cls.before = TOOL.read_tree(cls.root, LIBRARIES).table

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def changed_by(self, name):
        """The operations whose digest changes with the file."""
        file = self.root / name
        text = file.read_bytes()
        file.write_bytes(text + b"/* an edit */\n")
        after = TOOL.read_tree(self.root, LIBRARIES).table
        file.write_bytes(text)
        return {operation for operation in after if after[operation] != self.before[operation]}

    def nuclei(self, *names):
        return {f"nuclei.{name}" for name in names}

    def test_one_user(self):
        self.assertEqual(self.changed_by("kernels/cpu/features.c"), self.nuclei("features") | MEASURING)
        self.assertEqual(self.changed_by("kernels/cpu/canny_rows_avx2.c"), self.nuclei("features") | MEASURING)
        self.assertEqual(self.changed_by("kernels/cpu/nuclei_colour_avx512.c"), self.nuclei(*COLOURS))
        self.assertEqual(self.changed_by("kernels/cpu/flood.h"), self.nuclei("split"))
        self.assertEqual(self.changed_by("ops/nuclei/compare.c"), self.nuclei("compare"))
        self.assertEqual(self.changed_by("image/whole.c"), {"image.read", "image.sample"})
        self.assertEqual(self.changed_by("image/sample.c"), {"image.sample"})
        self.assertEqual(self.changed_by("image/polygon_draw.c"), {"polygons.read"})
        self.assertEqual(self.changed_by("ops/objects/scores.c"), {"objects.compare", "objects.compare_tile"})
        self.assertEqual(self.changed_by("ops/objects/measure.c"), {"objects.measure"})

    def test_shared_sources(self):
        self.assertEqual(self.changed_by("base/exact_math.c"), self.nuclei("features", *COLOURS) | MEASURING)
        self.assertEqual(self.changed_by("base/exact_series_int.h"), self.nuclei("features", *COLOURS) | MEASURING)
        self.assertEqual(self.changed_by("kernels/cpu/recon.c"), self.nuclei("background"))
        self.assertEqual(self.changed_by("ops/nuclei/labels.c"), self.nuclei("features", "objects"))
        everything = self.changed_by("kernels/cpu/scratch.c")
        self.assertEqual(everything, {name for name in self.before if name.startswith(("nuclei.", "objects."))} |
                         {"pixels.smooth", "pixels.select"})

    def test_no_user(self):
        for name in ("ops/nuclei/operations.c", "base/error.h", "base/json_dump.c", "store/store.c"):
            self.assertEqual(self.changed_by(name), set(), name)


def print_closures():
    Closure.setUpClass()
    for operation, reached in Closure.reached.items():
        print(f"{operation}: {' '.join(sorted(reached))}")


if __name__ == "__main__":
    if not shutil.which("nm"):
        print("skipped: 'nm' is not installed")
        sys.exit(77)
    if sys.argv[1:] == ["--print"]:
        print_closures()
    else:
        unittest.main()
