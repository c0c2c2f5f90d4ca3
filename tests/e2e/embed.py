#!/usr/bin/env python3
"""The library as a stranger gets it: installed, found by pkg-config, used from C and C++ by several threads at once.

SPDX-License-Identifier: Apache-2.0
test-timeout: 120
"""
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
    for name in ("include/tessera.h", "include/tessera_op.h", "bin/tessera", "share/man/man1/tessera.1",
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
        for header in ("tessera.h", "tessera_op.h"):
            source = folder / f"alone.{ending}"
            source.write_text(f"#include <{header}>\nint main() {{ return 0; }}\n".replace(
                "main()", "main(void)" if ending == "c" else "main()"), encoding="utf-8")
            done = run(compiler, standard, *WARNINGS, *flags, "-fsyntax-only", source)
            equal((done.returncode, done.stderr), (0, ""), f"{header} in {standard}")
    for compiler, standard, name in (("gcc", "-std=gnu17", "two_studies.c"), ("g++", "-std=c++17", "two_runs.cpp")):
        done = run(compiler, standard, *WARNINGS, *FLAGS, *flags, ROOT / "tests/embed" / name, "-o",
                   folder / pathlib.Path(name).stem, *pkg_config(prefix, "--libs"))
        equal((done.returncode, done.stderr), (0, ""), f"compiling {name}")


def check_symbols(prefix):
    """What the library shows is what tests/embed/symbols.txt lists, and what the header declares."""
    if support.SANITIZED:
        return
    found = {line.split()[-1] for line in run("nm", "-D", "--defined-only", prefix / "lib/libtessera.so").stdout.splitlines()}
    listed = {line for line in (ROOT / "tests/embed/symbols.txt").read_text(encoding="utf-8").split("\n")
              if line and not line.startswith("#")}
    equal(found, listed, "symbols of the library")
    declared = set(re.findall(r"^TS_PUBLIC [^(]*?(\w+)\(", (ROOT / "include/tessera.h").read_text(encoding="utf-8"),
                              re.MULTILINE))
    equal(declared, listed, "functions of the header")


def call(prefix, program, *words, **more):
    env = support.environment(LD_LIBRARY_PATH=str(prefix / "lib"), **more)
    done = run(program, *words, env=env, timeout=300)
    equal((done.returncode, done.stderr), (0, ""), f"{program.name}: exit code, and what went to stderr")
    return done.stdout.splitlines()


def main():
    support.need_program()
    if not shutil.which("g++"):
        support.skip("g++ is not installed")
    folder = support.scratch()
    prefix = install(folder)
    compile_all(prefix, folder)
    check_symbols(prefix)
    first, second, bad = (faults.project() for _ in range(3))
    lines = call(prefix, folder / "two_studies", first, second)
    equal(lines, ["first code 0 state done wrong 0", "second code 130 state paused wrong 0",
                  "continued code 0 state done wrong 0", "workers without a program: 2 T901",
                  "a request without a size: 2 T901"], "two studies at once")
    results = [next(place.glob("out/**/results.csv")).read_bytes() for place in (first, second)]
    check(results[0] == results[1] and results[0].count(b"\n") == 25, "results of the study that was paused")
    faults.add_command(bad, "import sys\nsys.exit(3)\n")
    lines = call(prefix, folder / "two_runs", first, bad)
    equal(lines, ["good code 0 run failed 0 error 0", "bad code 1 run failed 2 error 504",
                  f"version {support.call('--version').stdout.split()[-1]}"], "two runs at once")
    masks = sorted(path.name for path in (first / "out-embed").rglob("*.png"))
    equal(masks, ["make.mask.png", "make.mask.png"], "masks of the run")
    say("installed, compiled, run")
    support.finish()


if __name__ == "__main__":
    main()
