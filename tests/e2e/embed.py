#!/usr/bin/env python3
"""The library as a stranger gets it: installed, found by pkg-config, used from C and C++ by several threads at once.

SPDX-License-Identifier: Apache-2.0
test-timeout: 120
"""
import json
import os
import pathlib
import re
import shutil
import subprocess

import _faults as faults
import _support as support
from _support import ROOT, check, equal, say

BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
FLAGS = ["-O1", "-g", "-pthread", *([f"-fsanitize={os.environ['TESSERA_SANITIZE']}"] if support.SANITIZED else [])]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


def install(folder):
    """What `make install DESTDIR=... PREFIX=/usr/local` does after the build; returns the prefix below the folder."""
    done = run("cmake", "--install", BUILD, "--prefix", "/usr/local", env={**os.environ, "DESTDIR": str(folder)})
    equal(done.returncode, 0, f"installing\n{done.stderr[-2000:]}")
    prefix = folder / "usr/local"
    for name in ("include/tessera.h", "include/tessera_handles.h", "include/tessera_op.h", "bin/tessera", "share/man/man1/tessera.1",
                 "lib/pkgconfig/tessera.pc"):
        check((prefix / name).exists(), f"'{name}' is not installed")
    library = prefix / "lib/libtessera.so"
    equal(os.readlink(library), "libtessera.so.0", "where libtessera.so leads")
    equal(os.readlink(prefix / "lib/libtessera.so.0"), "libtessera.so.0.1.0", "where libtessera.so.0 leads")
    said = run("readelf", "-d", library).stdout
    check("Library soname: [libtessera.so.0]" in said, f"the soname:\n{said[:1000]}")
    return prefix


def pkg_config(prefix, *words):
    """As if the folder were the root of the machine."""
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    done = run("pkg-config", f"--define-variable=prefix={prefix}", *words, "tessera", env=env)
    equal(done.returncode, 0, f"pkg-config {words}: {done.stderr}")
    return done.stdout.split()


def compile_all(prefix, folder):
    """The programs, and each public header alone in both languages, without a warning."""
    flags = pkg_config(prefix, "--cflags")
    for compiler, standard, ending in (("gcc", "-std=c17", "c"), ("g++", "-std=c++17", "cpp")):
        for header in sorted(path.name for path in (ROOT / "include").glob("*.h")):
            source = folder / f"alone.{ending}"
            source.write_text(f"#include <{header}>\nint main() {{ return 0; }}\n".replace(
                "main()", "main(void)" if ending == "c" else "main()"), encoding="utf-8")
            done = run(compiler, standard, *WARNINGS, *flags, "-fsyntax-only", source)
            equal((done.returncode, done.stderr), (0, ""), f"{header} in {standard}")
    for name in ("two_studies.c", "two_runs.cpp", "handles.c", "handles.cpp"):
        compiler, standard = ("gcc", "-std=gnu17") if name.endswith(".c") else ("g++", "-std=c++17")
        done = run(compiler, standard, *WARNINGS, *FLAGS, *flags, ROOT / "tests/embed" / name, "-o",
                   folder / name.replace(".", "-"), *pkg_config(prefix, "--libs"))
        equal((done.returncode, done.stderr), (0, ""), f"compiling {name}")


def check_symbols(prefix):
    """What the library shows is what tests/embed/symbols.txt lists, and what the headers declare."""
    if support.SANITIZED:
        return
    found = {line.split()[-1] for line in run("nm", "-D", "--defined-only", prefix / "lib/libtessera.so").stdout.splitlines()}
    listed = {line for line in (ROOT / "tests/embed/symbols.txt").read_text(encoding="utf-8").split("\n")
              if line and not line.startswith("#")}
    equal(found, listed, "symbols of the library")
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").glob("*.h")))
    declared = set(re.findall(r"^TS_PUBLIC [^(]*?(\w+)\(", headers, re.MULTILINE))
    equal(declared, listed, "functions of the header")


def call(prefix, program, *words, **more):
    env = support.environment(LD_LIBRARY_PATH=str(prefix / "lib"), **more)
    done = run(program, *words, env=env, timeout=300)
    equal((done.returncode, done.stderr), (0, ""), f"{program.name}: exit code, and what went to stderr")
    return done.stdout.splitlines()


def check_handles(prefix, program):
    """Two studies of one project at once, one cancelled and continued; products as the program itself writes them."""
    folder, alone = faults.project(), faults.project()
    lines = call(prefix, program, folder)
    check_description(folder)
    equal([line for line in lines if not re.match(r"(first|second) \d", line)],
          ["first code 130 state paused reply paused", "second code 0 state done reply done",
           "continued code 0 state done reply done", "the same run: yes", "run code 0 state done reply done",
           *["mask mask pixels u8 1024 x 1024"] * 2], "handles")
    for name, words in (("first", ()), ("second", ("--method", "lhs", "--count", 7))):
        faults.study(alone, *words, store="memory", out=f"out-{name}")
        for file in ("results.csv", "results-by-file.csv"):
            check((folder / f"out-{name}" / file).read_bytes() == (alone / f"out-{name}" / file).read_bytes(),
                  f"{file} of the {name} study")
        rows = support.read_csv(alone / f"out-{name}/results-by-file.csv")
        wanted = [f"{name} {row['set']} {('north', 'south').index(row['file'])} {float(row['sum.table:score'])!r}" for row in rows]
        found = [f"{name} {words[1]} {words[2]} {float(words[4])!r}" for words in map(str.split, lines)
                 if words[0] == name and words[1].isdigit()]
        equal(found, wanted, f"scores of the {name} study by handle")
    call_run = support.call("run", "-C", alone, "workflow.json", "--data", "data", "-p", "factor=3", "-o", "by-program")
    for number, item in enumerate(("north", "south")):
        picture = support.read_png(alone / "by-program" / item / "make.mask.png")
        check(picture[:4] == (1024, 1024, 1, 8) and picture[4] == (folder / f"mask-{number}.raw").read_bytes(),
              f"mask of {item}\n{call_run.stderr[-500:]}")


def check_description(folder):
    """The description of the project, against its schema and what the files say."""
    reply = json.loads((folder / "project.json").read_text(encoding="utf-8"))
    equal([item["name"] for item in reply["items"]], ["north", "south"], "items")
    equal([(stage["name"], stage["per"], stage["units"], [output["name"] for output in stage["outputs"]])
           for stage in reply["stages"]], [("make", "file", 2, ["mask", "table"]), ("sum", "file", 2, ["table"])], "stages")
    equal([(one["name"], one["default"], one["range"]) for one in reply["parameters"]],
          [("factor", 2, [1, 9]), ("weight", 0.5, [0, 1])], "parameters")
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    schema = json.loads((ROOT / "docs/schema/project.schema.json").read_text(encoding="utf-8"))
    for error in jsonschema.Draft202012Validator(schema).iter_errors(reply):
        check(False, f"the schema refuses the description: {error.json_path}: {error.message[:200]}")


def check_handles_in_cpp(prefix, program):
    folder = faults.project()
    equal(call(prefix, program, folder), ["project read", "first done done 6 of 6 same", "second done done 6 of 6 same",
                                          "observed tasks", "table 1 x 1 y 12", "failed T501 heavy", "refused T210"], "handles in C++")


def main():
    support.need_program()
    if not shutil.which("g++"):
        support.skip("g++ is not installed")
    folder = support.scratch()
    prefix = install(folder)
    compile_all(prefix, folder)
    check_symbols(prefix)
    first, second, bad = (faults.project() for _ in range(3))
    lines = call(prefix, folder / "two_studies-c", first, second)
    equal(lines, ["first code 0 state done wrong 0", "second code 130 state paused wrong 0",
                  "continued code 0 state done wrong 0", "workers without a program: 2 T901",
                  "a request without a size: 2 T901"], "two studies at once")
    results = [next(place.glob("out/**/results.csv")).read_bytes() for place in (first, second)]
    check(results[0] == results[1] and results[0].count(b"\n") == 25, "results of the study that was paused")
    faults.add_command(bad, "import sys\nsys.exit(3)\n")
    lines = call(prefix, folder / "two_runs-cpp", first, bad)
    equal(lines, ["good code 0 run failed 0 error 0", "bad code 1 run failed 2 error 504",
                  f"version {support.call('--version').stdout.split()[-1]}"], "two runs at once")
    masks = sorted(path.name for path in (first / "out-embed").rglob("*.png"))
    equal(masks, ["make.mask.png", "make.mask.png"], "masks of the run")
    check_handles(prefix, folder / "handles-c")
    check_handles_in_cpp(prefix, folder / "handles-cpp")
    say("installed, compiled, run")
    support.finish()


if __name__ == "__main__":
    main()
