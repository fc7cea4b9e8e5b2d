#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe. Where there is no Spack, what can be seen without: that it is Python, that it settles every option
PARHELION_ENABLE_* of CMakeLists.txt, and that what the README says of variants is so."""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
RECIPE = SOURCE / "spack/spack_repo/parhelion/packages/parhelion/package.py"
# Options that follow a variant of another name, or none.
VARIANTS = {"MPI": "mpi", "FORTRAN": "fortran", "PYTHON": "python", "TESTS": "tests", "BENCHMARKS": "tests"}
FIXED = {"FLUXES", "ADDING", "EGA", "MONTE_CARLO", "RETRIEVAL", "IO", "APPS", "C", "EXAMPLES", "DOCS"}


def options():
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return set(re.findall(r"option\(PARHELION_ENABLE_(\w+)", text))


class Recipe(unittest.TestCase):
    def setUp(self):
        self.text = RECIPE.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    def calls(self, name):
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)
                and (getattr(node.func, "id", None) == name or getattr(node.func, "attr", None) == name)]

    def variants(self):
        return {call.args[0].value for call in self.calls("variant")}

    def test_every_option_is_settled(self):
        self.assertEqual(options(), set(VARIANTS) | FIXED, "options of CMakeLists.txt that this test does not know")
        followed = {call.args[0].value.removeprefix("PARHELION_ENABLE_"): call.args[1].value
                    for call in self.calls("define_from_variant") if "PARHELION_ENABLE_" in call.args[0].value}
        self.assertEqual(followed, VARIANTS)
        self.assertLessEqual(set(VARIANTS.values()), self.variants())
        words = {node.value.removeprefix("PARHELION_ENABLE_") for node in ast.walk(self.tree)
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        self.assertEqual(FIXED - words, set(), "options that the recipe leaves to chance")

    def test_readme_has_the_variants(self):
        readme = (SOURCE / "spack/README.md").read_text(encoding="utf-8")
        named = set()
        for row in re.findall(r"^\| (`.*?) \|", readme, re.M):
            named |= {word.rstrip("=") for word in re.findall(r"`(\w+=?)`", row)}
        self.assertEqual(named, self.variants() | {"cuda", "cuda_arch", "rocm", "amdgpu_target"})

    def test_dependencies_follow_the_variants(self):
        asked = {(call.args[0].value, next((word.value.value for word in call.keywords if word.arg == "when"), ""))
                 for call in self.calls("depends_on") if isinstance(call.args[0], ast.Constant)}
        self.assertLessEqual({("mpi", "+mpi"), ("hdf5+mpi", "+mpi"), ("fortran", "+fortran")}, asked)
        for package in ("kokkos", "kokkos-kernels"):
            always = [spec for spec, when in asked if not when]
            self.assertTrue(any(re.match(rf"{package}@\S+ \+serial", spec) for spec in always), package)
            # Back ends and architectures, in loops.
            for words in ('PACKAGE+{backend}", when=f"+{backend}"', 'PACKAGE~{backend}", when=f"~{backend}"',
                          'PACKAGE cuda_arch={arch}"'):
                self.assertIn(f'depends_on(f"{words.replace("PACKAGE", package)})', self.text)

    def test_no_address_is_invented(self):
        self.assertEqual(re.findall(r"\b(?:https?|git|ssh)://\S*", self.text), [])
        self.assertEqual(self.text.count("PUBLIC ADDRESS"), 1)

    def test_version_is_that_of_the_project(self):
        text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
        project = re.search(r"project\(parhelion VERSION ([\d.]+)", text)
        self.assertIn(project[1], {call.args[0].value for call in self.calls("version")})


@unittest.skipUnless(shutil.which("spack"), "there is no spack")
class Spack(unittest.TestCase):
    """A configuration of its own, in which nothing is built."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.environment = dict(os.environ, SPACK_DISABLE_LOCAL_CONFIG="1",
                               SPACK_USER_CACHE_PATH=str(cls.folder / "cache"))
        (cls.folder / "config").mkdir()
        (cls.folder / "config/config.yaml").write_text(
            f"config:\n  install_tree:\n    root: {cls.folder}/tree\n  build_stage: [{cls.folder}/stage]\n",
            encoding="utf-8")
        (cls.folder / "config/repos.yaml").write_text(
            f"repos:\n  parhelion: {SOURCE}/spack/spack_repo/parhelion\n", encoding="utf-8")

    def spack(self, *words):
        return subprocess.run(["spack", "-C", self.folder / "config", *words], env=self.environment, text=True,
                              capture_output=True, check=False)

    def test_concretizes(self):
        for variants in ("", "+mpi", "+fortran", "+python", "+tests", "~openmp ~shared", "+cuda cuda_arch=90",
                         "+rocm amdgpu_target=gfx90a"):
            with self.subTest(variants):
                found = self.spack("spec", "parhelion@main", *variants.split())
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertIn("+serial", found.stdout)
                if "+mpi" in variants:
                    self.assertRegex(found.stdout, r"hdf5@\S+[^\n]*\+mpi")

    def test_refuses(self):
        for variants in ("+cuda", "+cuda +rocm cuda_arch=90 amdgpu_target=gfx90a"):
            with self.subTest(variants):
                self.assertNotEqual(self.spack("spec", "parhelion@main", *variants.split()).returncode, 0)

    def test_installs_in_pretence(self):
        found = self.spack("install", "--fake", "--no-checksum", "parhelion@main")
        self.assertEqual(found.returncode, 0, found.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
