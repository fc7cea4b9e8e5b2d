#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""That check_docs.py finds what it is there to find."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import check_docs
import documents

DOCUMENT = """# Title

    parhelion fluxes IN [-o OUT]
                     [--real float|double]

Text with `code` and a [link](other.md#a-place).

    $ parhelion adding profiles.h5 \\
      --adjoint
    profiles.h5: radiances -o nothing

      more of it -o nothing

writes radiances.

    NAME=value parhelion ega -o rad.nc   # a comment
    parhelion: rad.nc: no such file --really

    parhelon fluxes a.nc -o b.nc

```sh
for i in 1 2; do
  echo $i
done
```

```python
print("x")
```

    x

```cpp
int main() {}
```

    gain = exp(-tau) - x
"""


def found(kind):
    return [(item.line, item.text) for item in documents.items(DOCUMENT) if item.kind == kind]


class Extraction(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(found("shell"), [
            (8, "parhelion adding profiles.h5 \\\n  --adjoint"),
            (16, "NAME=value parhelion ega -o rad.nc   # a comment"),
            (19, "parhelon fluxes a.nc -o b.nc"),
            (22, "for i in 1 2; do\n  echo $i\ndone")])

    def test_others(self):
        self.assertEqual(found("synopsis"), [(3, "parhelion fluxes IN [-o OUT] [--real float|double]")])
        self.assertEqual(found("python"), [(28, 'print("x")')])
        shown = {item.line: item.output for item in list(documents.items(DOCUMENT)) if item.output}
        self.assertEqual(shown, {8: ["profiles.h5: radiances -o nothing", "  more of it -o nothing"], 28: ["x"]})
        self.assertEqual(found("cpp"), [(34, "int main() {}")])
        self.assertEqual(documents.links(DOCUMENT), ["other.md#a-place"])
        self.assertEqual(documents.anchors("# A place\n\n## `x` and y, (z)\n"), {"a-place", "x-and-y-z"})

    def test_what_is_known(self):
        for command in ("scripts/x.py", "build/bin/parhelion", "A=1 perf_ega", "A=1", "cat x"):
            self.assertTrue(documents.is_known(command), command)
        for command in ("parhelon x", "parhelion: x", "tests/X/  a folder", "written to x", "it's"):
            self.assertFalse(documents.is_known(command), command)


class Checks(unittest.TestCase):
    """The checks on a small tree with a program of its own."""

    def check(self, which, text, program="exit 0", data=None, python="exit 0", module=None):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "page.md").write_text(text, encoding="utf-8")
            for folder in ("bin", "scripts", "examples", "perf", "tests", "docs"):
                (root / folder).mkdir()
            (root / "examples/a.cpp").write_text("// comment\nint main() {}\n", encoding="utf-8")
            (root / "examples/a.f90").write_text("  call a(1, &\n         2)\n  call b()\n", encoding="utf-8")
            (root / "scripts/python.sh").write_text(f"#!/bin/sh\n{python}\n", encoding="utf-8")
            (root / "scripts/python.sh").chmod(0o755)
            (root / "bin/parhelion").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
            (root / "bin/parhelion").chmod(0o755)
            if module is not None:
                (root / "bin/parhelion.py").write_text(module, encoding="utf-8")
                (root / "bin/parhelion-python").write_text(
                    f"#!/bin/sh\nPYTHONPATH={root}/bin exec {sys.executable} \"$@\"\n", encoding="utf-8")
                (root / "bin/parhelion-python").chmod(0o755)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                sys.argv = ["check_docs.py", which, "page.md", "--root", name, "--program", f"{name}/bin/parhelion",
                            "--build", name, "--scratch", f"{name}/scratch", *(["--data", data] if data else [])]
                status = check_docs.main()
            return status, output.getvalue()

    def test_commands_that_work(self):
        status, output = self.check("commands", "\n    parhelion x > made\n    A=1\n    test=$A; cat made\n")
        self.assertEqual(status, 0, output)
        self.assertIn("3 run", output)

    def test_each_command_of_a_block_has_to_work(self):
        program = '[ "$1" != fail ] || exit 3'
        for block, expected in (("parhelion fail\nparhelion x", 1), ("parhelion x\nparhelion fail", 1),
                                ("for i in fail x; do\n  parhelion $i\ndone", 1),
                                ("parhelion fail || parhelion x\nif parhelion fail; then exit 1; fi", 0)):
            with self.subTest(block):
                status, output = self.check("commands", f"```sh\n{block}\n```\n", program=program)
                self.assertEqual(status, expected, output)
                self.assertEqual("exit status 3" in output, expected == 1, output)

    def test_without_python(self):
        self.assertEqual(self.check("commands", "\n    parhelion x\n", python="exit 1")[0], 77)
        self.assertEqual(self.check("commands", "no command\n", python="exit 1")[0], 0)

    def test_python_that_goes_on(self):
        text = """
    parhelion-python -c 'import parhelion'

```python
import parhelion
a = parhelion.number
print("first", a)
```

    first 5

```python
print("second", a + 1)
```

    second 6
"""
        status, output = self.check("commands", text, module="number = 5\n")
        self.assertEqual(status, 0, output)
        self.assertIn("3 run", output)
        status, output = self.check("commands", text, module="number = 7\n")
        self.assertEqual(status, 1)
        self.assertIn("does not print as shown: second 6\nsecond 8", output)
        status, output = self.check("commands", text)
        self.assertEqual(status, 77, output)
        self.assertIn("left out: needs a build with the module of Python", output)

    def test_commands_that_fail(self):
        status, output = self.check("commands", "\n    parhelion x -o y\n", "echo because; exit 3")
        self.assertEqual(status, 1)
        self.assertIn("page.md:2: failed: exit status 3\nbecause", output)

    def test_output_that_differs(self):
        text = "\n    $ parhelion x\n    first\n\n    $ parhelion x\n    2 in 0.5 s on OpenMP\n    last 3\n"
        self.assertEqual(self.check("commands", text, "echo first; echo 3  in 0.7 s; echo last 3")[0], 0)
        status, output = self.check("commands", text, "echo first; echo 3 in 0.7 s; echo last 4")
        self.assertEqual(status, 1)
        self.assertIn("does not print as shown: last 3", output)

    def test_unknown_commands(self):
        status, output = self.check("commands", "\n    parhelon x -o y\n")
        self.assertEqual(status, 1)
        self.assertIn("does not know", output)

    def test_commands_that_are_not_run(self):
        status, output = self.check("commands", "\n    spack install x -o y\n    cat y\n")
        self.assertEqual(status, 0, output)
        self.assertIn("0 run, 2 not run", output)

    def test_commands_that_need_data(self):
        text = "\n    parhelion fluxes a.nc -o b.nc\n    cat b.nc\n    cat page.md > b.nc\n"
        status, output = self.check("commands", text)
        self.assertIn("2 left out", output)
        self.assertEqual(status, 1)  # page.md is not in the scratch folder

    def test_options(self):
        text = "\n    parhelion x [--one] [--three]\n"
        status, output = self.check("options", text, "echo '  --one'; echo '  -t,--two N'")
        self.assertEqual(status, 1)
        self.assertIn("has no --three", output)
        self.assertIn("nothing about --two", output)
        self.assertEqual(self.check("options", "\n    parhelion x [--one]\n", "echo '  --one'")[0], 0)

    def test_links(self):
        self.assertEqual(self.check("links", "# Here\n\n[a](#here) [b](page.md#here) [c](https://x)\n")[0], 0)
        self.assertIn("no such heading", self.check("links", "# Here\n\n[a](#there)\n")[1])
        self.assertIn("no such file", self.check("links", "[a](none.md)\n")[1])
        self.assertIn("no such file", self.check("links", "[a][b]\n\n[b]: none.png\n")[1])

    def test_lines(self):
        self.assertEqual(self.check("lines", f"{'x' * 120}\n| {'x' * 200} |\n")[0], 0)
        status, output = self.check("lines", f"x\n{'x' * 121}\n")
        self.assertEqual(status, 1)
        self.assertIn("page.md:2: 121 columns", output)

    def test_examples(self):
        same = "examples/a.cpp\n\n```cpp\nint main() {}\n```\n"
        self.assertEqual(self.check("examples", same)[0], 0)
        self.assertEqual(self.check("examples", same.replace("{}", "{ }"))[0], 1)
        self.assertIn("does not compile page_1.inc", self.check("examples", "```cpp\nsolve();\n```\n")[1])
        self.assertEqual(self.check("examples", "```fortran\ncall b()\ncall a(1, &\n       2)\n```\n")[0], 0)
        self.assertIn("stands in no source", self.check("examples", "```fortran\ncall c()\n```\n")[1])


    def test_keys(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "io/src/jurassic").mkdir(parents=True)
            (root / "io/src/jurassic/control.cpp").write_text(
                'needed_keys{ Key{"NG", KeyKind::plain}, Key{"NU", KeyKind::indexed} };\nother{Key{"X", }};', "utf-8")
            for text, status in (("| `NG`, `NU[i]` | 1 | |\n", 0), ("| `NG` | 1 | of `NU` |\n", 1)):
                (root / "page.md").write_text(text, "utf-8")
                sys.argv = ["check_docs.py", "keys", "page.md", "--root", name]
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(check_docs.main(), status)


class Coefficients(unittest.TestCase):
    def test_single_precision(self):
        import struct
        with tempfile.TemporaryDirectory() as name:
            double, single = pathlib.Path(name) / "d", pathlib.Path(name) / "s"
            double.write_bytes(struct.pack(">idiiddi", 8, 1.5, 8, 16, 2, 3, 16))
            check_docs.write_single(double, single)
            self.assertEqual(single.read_bytes(), struct.pack(">ifiiffi", 4, 1.5, 4, 8, 2, 3, 8))


if __name__ == "__main__":
    unittest.main()
