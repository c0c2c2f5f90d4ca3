"""Tests the checks and generators of tools/ on small trees with known faults.

SPDX-License-Identifier: Apache-2.0
test-label: long (nothing here is compiled, so the sanitizers would see nothing)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TESSERA_SOURCE_DIR"])


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("src/LAYERS", "base:\nkernels: base/error.h\nops/*: base kernels\nstudy: all tessera.h\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def tool(self, name, *arguments, **environment):
        command = [sys.executable, SOURCE / "tools" / name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment})

    def assert_faults(self, name, *expected):
        result = self.tool(name, self.root)
        self.assertEqual(result.returncode, 1 if expected else 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.splitlines(), list(expected))

    def generate(self, name, *arguments):
        output = self.root / "out.c"
        result = self.tool(name, "--source", self.root, "--output", output, "--depfile", self.root / "out.d", *arguments)
        return result, output.read_text(encoding="utf-8") if output.exists() else ""


class IncludeCheck(ToolTest):
    # Guards invariant 11.
    def test_allowed_includes_pass(self):
        self.write("src/base/a.c", '#include "base/a_int.h"\n#include <stdio.h>\n')
        self.write("src/kernels/cpu/k.c", '#include "base/error.h"\n#include "kernels/cpu/k_int.h"\n')
        self.write("src/ops/toy/t.c", '#include "base/a.h"\n#include "kernels/cpu/k.h"\n#include "ops/toy/toy_int.h"\n')
        self.write("src/study/s.c", '#include "tessera.h"\n#include "ops/toy/t.h"\n')
        self.write("include/tessera.h", "#include <stddef.h>\n")
        self.assert_faults("check-includes")
        self.write("src/ops/toy/t.c", '#include "kernels/cpu/k.h"\n')
        self.assert_faults("check-includes", "src/LAYERS: 'ops/*' may include 'base' and does not: leave it out")

    def test_upward_include(self):
        self.write("src/base/a.c", '\n#include "study/s.h"\n')
        self.assert_faults("check-includes", "src/base/a.c:2: 'base' may not include 'study/s.h' (see src/LAYERS)")

    def test_only_the_named_header_is_allowed(self):
        self.write("src/kernels/cpu/k.c", '#include "base/map.h"\n')
        self.assert_faults("check-includes", "src/kernels/cpu/k.c:1: 'kernels' may not include 'base/map.h' (see src/LAYERS)")

    def test_operation_libraries_do_not_see_each_other(self):
        self.write("src/ops/toy/t.c", '#include "ops/other/o.h"\n')
        self.assert_faults("check-includes", "src/ops/toy/t.c:1: 'ops/toy' may not include 'ops/other/o.h' (see src/LAYERS)")

    def test_internal_header_of_another_module(self):
        self.write("src/study/s.c", '#include "base/a_int.h"\n')
        self.assert_faults("check-includes", "src/study/s.c:1: 'base/a_int.h' is internal to 'base'")

    def test_public_header_where_it_is_not_allowed(self):
        self.write("src/ops/toy/t.c", '#include "tessera.h"\n')
        self.assert_faults("check-includes", "src/ops/toy/t.c:1: the public header 'tessera.h' is not for 'ops/toy'")

    def test_public_header_stands_alone(self):
        self.write("include/tessera.h", '#include "base/a.h"\n')
        self.assert_faults("check-includes", "include/tessera.h:1: a public header may not include 'base/a.h'")

    def test_table_that_points_up(self):
        self.write("src/LAYERS", "base: study\nstudy: all\n")
        self.assert_faults("check-includes", "src/LAYERS:1: 'base' may include 'study', which is not on a line above")


class OtherChecks(ToolTest):
    def test_what_a_library_must_not_do(self):
        self.write("src/cli/c.c", "void f(void) { exit(fputs(\"\", stderr)); }\n")
        self.write("src/study/s.c", "void f(void) { fputs(\"\", stderr);\n  setenv(\"A\", \"\", 1); ts_signal(1); }\n")
        self.assert_faults("check-banned", "src/study/s.c:1: 'stderr' is banned: use ts_log",
                           "src/study/s.c:2: 'setenv' is banned: it changes the process of the program that uses the library")

    def test_banned_functions(self):
        self.write("src/base/a.c", 'void f(void) {\n  strcpy(a, "strcat(");\n  /* sprintf( */ p->rand(1);\n  y = log(x);\n}\n')
        self.assert_faults("check-banned",
                           "src/base/a.c:2: 'strcpy' is banned: it does not know the size of its target")

    def test_numbers_that_follow_the_locale(self):
        self.write("src/base/decimal.c", "void f(void) { x = strtod_l(t, 0, c); }\n")
        self.write("src/base/a.c", 'void f(void) { x = strtod(t, 0); printf("%g", x); }\n')
        self.write("src/study/s.c", 'void f(void) {\n  x = strtod(t, 0); y = g_ascii_strtod(t, 0);\n'
                   '  sscanf(t, "%d", &i);\n  /* printf("%g") */\n  printf("%.0f of 5 %% find %s%zu %d", x, s, n, i);\n'
                   '  printf("a"\n         "%-8.3f and %*.*e", x, 1, 2, x);\n  printf("%lg", x);\n}\n')
        why = "is banned: it reads the decimal sign of the locale: use ts_parse_double"
        writes = "is banned: it writes the decimal sign of the locale: use TS_SIGNIFICANT or TS_DECIMALS of base/str.h"
        self.assert_faults("check-banned", f"src/base/a.c:1: '%g' {writes}", f"src/base/a.c:1: 'strtod' {why}",
                           f"src/study/s.c:7: '%-8.3f' {writes}", f"src/study/s.c:7: '%*.*e' {writes}",
                           f"src/study/s.c:8: '%lg' {writes}", f"src/study/s.c:2: 'strtod' {why}",
                           f"src/study/s.c:3: 'sscanf' {why}")

    def test_letters_that_follow_the_locale(self):
        self.write("src/op/snapshot.c", "void f(void) { setlocale(LC_ALL, name); }\n")
        self.write("src/study/s.c", "void f(void) {\n  setlocale(LC_ALL, name); x = is_space(c) + ts_toupper(c);\n"
                   "  if (isspace(c) || strcasecmp(a, b) == 0) c = toupper(c);\n}\n")
        letters = "is banned: it follows the letters of the locale"
        self.assert_faults("check-banned", "src/study/s.c:2: 'setlocale' is banned: it follows the locale of the process",
                           f"src/study/s.c:3: 'strcasecmp' {letters}: use ts_word_equal",
                           f"src/study/s.c:3: 'isspace' {letters}: compare characters, or use ts_char_upper",
                           f"src/study/s.c:3: 'toupper' {letters}: compare characters, or use ts_char_upper")

    def test_inexact_math_where_products_are_exact(self):
        files = ["base/exact_normal.c", "demo/d.c", "design/d.c", "kernels/cpu/k.c", "ops/toy/t.c", "workflow/w.c"]
        for name in files:
            self.write(f"src/{name}", "double f(double x) { return sqrt(x) + log(x) + ts_exact_log(x); }\n")
        self.write("src/analysis/a.c", "double f(double x) { return log(x) + erff(x); }\n")
        self.assert_faults("check-banned", *[f"src/{name}:1: 'log' is banned: its last bits differ between C libraries: "
                                             "use base/exact_math.h" for name in files])

    def test_sizes(self):
        body = "  x++;\n"
        self.write("src/base/a.c", f"static void f(int a,\n{'':14}int b) {{\n{body * 38}}}\n\nint g(void);\n")
        self.write("src/base/b.c", f"int v[] = {{\n{'1,' + chr(10)}}};\nvoid f(void) {{\n{body * 38}}}\n")
        self.write("src/base/c.c", "\n" * 601)
        self.write("bench/a.c", f"void f(void) {{\n{body * 39}}}\n")
        self.write("tests/unit/a.c", f"void f(void) {{\n{body * 68}}}\n" + "\n" * 630)
        self.write("tests/unit/b.c", f"void f(void) {{\n{body * 69}}}\n" + "\n" * 630)
        self.assert_faults("check-sizes", "bench/a.c:1: a function of 41 lines, limit 40",
                           "src/base/a.c:1: a function of 41 lines, limit 40",
                           "src/base/c.c: 601 lines, limit 600: split it by what its parts do",
                           "tests/unit/b.c: 701 lines, limit 700: split it by what its parts do",
                           "tests/unit/b.c:1: a function of 71 lines, limit 70")

    def test_sizes_of_folders(self):
        for i in range(12):
            self.write(f"src/plan/a{i}.c", "\n" * 583)
            self.write(f"src/plan/more/a{i}.c", "\n" * 584)
            self.write(f"src/plan/table{i}.inc", "\n" * 1000)
        for i in range(7):
            self.write(f"src/api/a{i}.c", "\n" * 500)
            self.write(f"src/work/a{i}.c", "\n" * 501)
        why = "divide it by what its files are about"
        self.assert_faults("check-sizes", f"src/plan/more: 7008 lines in one folder, limit 7000: {why}",
                           f"src/work: 3507 lines in one folder, limit 3500: {why}")

    def test_structs_that_most_files_take(self):
        self.write("src/plan/plan_int.h", "struct wide {\n  int a;\n};\nstruct half {\n  int a;\n};\nstruct named;\n")
        for i in range(6):
            wide = "struct wide *w" if i < 4 else "int w"
            half = "const struct half *h" if i < 3 else "int h"
            self.write(f"src/plan/a{i}.c", f"static int f({wide},\n{'':13}{half}) {{\n  struct wide local; /* not taken */\n"
                       "  return 0;\n}\n\n/* int g(struct half *h) { */\nint g(struct half *h);\n")
        self.write("src/work/work_int.h", "struct few {\n  int a;\n};\n")
        self.write("src/work/a.c", "int f(struct few *few) { return 0; }\n")
        fault = ("src/plan/plan_int.h: 'struct wide' is a parameter in 4 of 6 files, more than half: "
                 "let functions take what they use")
        self.assert_faults("check-structs", fault)
        self.assertEqual(self.tool("check-structs", self.root, "--all").stdout.splitlines(), [
            "src/plan/plan_int.h: 'struct half' is a parameter in 3 of 6 files",
            "src/work/work_int.h: 'struct few' is a parameter in 1 of 1 files", fault])

    def test_columns(self):
        at_limit, string = "x" * 114, '"' + "x" * 130 + '"'
        self.write("include/a.h", f"/* {at_limit} */\n/* {at_limit}x */\n")
        self.write("tests/b.c", f"f({string});\nf({string}); /* no */\n/* a\n * {at_limit}xxxx */ int v;\n")
        self.write("bench/c.c", f'f("/* {at_limit}");\nint v; // {at_limit}\n')
        self.assert_faults("check-columns", "bench/c.c:2: a comment of 124 columns, limit 120",
                           "include/a.h:2: a comment of 121 columns, limit 120",
                           "tests/b.c:2: a comment of 145 columns, limit 120",
                           "tests/b.c:4: a comment of 131 columns, limit 120")

    def lint(self, *files):
        """tools/lint in a tree of these files, each (name, text): its exit status and output."""
        self.write("tools/lint", (SOURCE / "tools/lint").read_text(encoding="utf-8"))
        self.write(".clang-tidy", "Checks: '-*,readability-duplicate-include'\nWarningsAsErrors: '*'\n")
        entries = []
        for name, text in files:
            self.write(name, text)
            entries.append({"directory": str(self.root), "file": str(self.root / name),
                            "command": f"gcc -Wall -Wlogical-op -o {name}.o -c {self.root / name}"})
        self.write("build/compile_commands.json", json.dumps(entries))
        result = subprocess.run([sys.executable, self.root / "tools/lint"], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout

    def test_lint(self):
        clean = ("src/base/a.c", "#include <stdio.h>\n")
        self.assertEqual(self.lint(clean), (0, "lint: 1 files, 1 looked at, 0 with complaints\n"))
        self.assertEqual(self.lint(clean), (0, "lint: 1 files, 0 looked at, 0 with complaints\n"))
        status, text = self.lint(clean, ("tests/unit/t.c", "static int unused;\n"),
                                 ("bench/b.c", "#include <stdio.h>\n#include <stdio.h>\n"))
        self.assertEqual(status, 1)
        self.assertIn("unused variable 'unused' [-Werror,-Wunused-variable]", text)
        self.assertIn("[readability-duplicate-include", text)
        self.assertEqual(text.splitlines()[-1], "lint: 3 files, 2 looked at, 2 with complaints")


class Generators(ToolTest):
    def digests(self, *libraries):
        result, text = self.generate("implementation-digest", *libraries)
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(re.findall(r'\{"([^"]+)", \{([^}]+)\}\}', text))

    def test_digest_follows_what_decides_the_result(self):
        self.write("src/ops/toy/IMPLEMENTATION", "toy.a: ops/toy/a.c\ntoy.b: ops/toy/b*.c # all of b\n  +vips\n")
        self.write("src/ops/toy/a.c", '#include "kernels/cpu/k.h"\n')
        self.write("src/ops/toy/b1.c", "one\n")
        self.write("src/kernels/cpu/k.h", "header\n")
        self.write("src/kernels/cpu/k.c", "kernel\n")
        versions = ("--library", "vips=8.14.1")
        first = self.digests(*versions)
        self.assertEqual(sorted(first), ["toy.a", "toy.b"])
        self.assertEqual(self.digests(*versions), first)
        self.write("src/kernels/cpu/k.c", "changed\n")
        second = self.digests(*versions)
        self.assertNotEqual(second["toy.a"], first["toy.a"])
        self.assertEqual(second["toy.b"], first["toy.b"])
        self.write("src/ops/toy/b2.c", "two\n")
        third = self.digests(*versions)
        self.assertEqual(third["toy.a"], second["toy.a"])
        self.assertNotEqual(third["toy.b"], second["toy.b"])
        self.assertNotEqual(self.digests("--library", "vips=8.15.0")["toy.b"], third["toy.b"])

    def test_digest_names_a_missing_file(self):
        self.write("src/ops/toy/IMPLEMENTATION", "toy.a: ops/toy/none.c\n")
        result, _ = self.generate("implementation-digest")
        self.assertEqual(result.returncode, 1)
        self.assertIn("'toy.a' names 'ops/toy/none.c', which is not below src/", result.stderr)

    def test_embedded_files(self):
        self.write("workflows/toy/workflow.json", "{}\n")
        self.write("workflows/toy/.hidden", "no\n")
        self.write("workflows/toy/built.so", "no\n")
        self.write("include/tessera_op.h", "/* contract */\n")
        _, text = self.generate("embed-files")
        self.assertIn('{"include/tessera_op.h", data_0, 15},', text)
        self.assertIn('{"toy/workflow.json", data_1, 3},', text)
        self.assertIn("123,125,10,0,", text)
        self.assertNotIn("hidden", text)
        self.assertNotIn("built.so", text)


class Summary(ToolTest):
    JUNIT = ('<testsuite><testcase name="a" status="run"/><testcase name="b" status="fail"><failure/></testcase>'
             '<testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
             '<testcase name="d" status="notrun"><skipped message="Unable to find executable"/></testcase></testsuite>')

    def test_sum(self):
        self.write("checks", "pass includes\npass sizes\nfail lint\n")
        self.write("release.xml", self.JUNIT)
        result = self.tool("test-summary", self.root, CI="false")
        self.assertEqual(result.stdout.splitlines()[-1], "3 passed, 3 failed, 1 skipped")
        self.assertEqual(result.returncode, 1)

    def test_skips_fail_in_ci(self):
        self.write("checks", "pass sizes\n")
        self.write("release.xml", '<testsuite><testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                   '<system-out>SKIP: groff is not installed</system-out></testcase></testsuite>')
        result = self.tool("test-summary", self.root, CI="true")
        self.assertEqual(result.stdout, "FAILED release c: skipped, which CI does not allow: groff is not installed\n"
                                        "1 passed, 1 failed\n")
        self.assertEqual(result.returncode, 1)

    def test_nothing_run_is_a_failure(self):
        result = self.tool("test-summary", self.root)
        self.assertEqual((result.returncode, result.stdout), (1, "0 passed, 0 failed\n"))


unittest.main()
