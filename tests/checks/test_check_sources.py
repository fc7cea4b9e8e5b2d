#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants what check_sources.py must find, and what it must let pass."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check_sources.py")
SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"


class CheckSources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, name):
        run = subprocess.run([sys.executable, SCRIPT, name, self.root], capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def test_backend_conditionals_are_found_outside_core(self):
        for macro in ("KOKKOS_ENABLE_CUDA", "__CUDA_ARCH__", "__CUDACC__", "__HIP_DEVICE_COMPILE__", "__HIPCC__",
                      "__SYCL_DEVICE_ONLY__", "KOKKOS_IF_ON_DEVICE", "KOKKOS_IF_ON_HOST", "KOKKOS_ARCH_HOPPER90", "_OPENMP"):
            for folder in ("solvers/fluxes/src", "io/src", "apps", "tests/fluxes", "perf"):
                with self.subTest(macro=macro, folder=folder):
                    self.write(f"{folder}/planted.cpp", f"{SPDX}// first\n#if defined({macro})\n#endif\n")
                    code, output = self.check("backends")
                    self.assertEqual(code, 1)
                    self.assertIn(f"{folder}/planted.cpp:3: {macro} outside core/", output)
                    (self.root / folder / "planted.cpp").unlink()

    def test_backend_conditional_behind_a_string_with_slashes_is_found(self):
        self.write("io/src/a.cpp", SPDX + 'auto u = "http://x"; KOKKOS_IF_ON_HOST((f();))\n')
        self.assertEqual(self.check("backends")[0], 1)

    def test_backend_conditionals_pass_in_core_and_in_comments(self):
        self.write("core/src/a.cpp", SPDX + "#ifdef KOKKOS_ENABLE_CUDA\n#endif\n")
        self.write("solvers/a/src/a.cpp", SPDX + "// not __CUDA_ARCH__\n/* nor\n_OPENMP */\nKOKKOS_LAMBDA\n")
        self.assertEqual(self.check("backends")[0], 0)

    def test_includes_of_what_does_not_lie_below_are_found(self):
        for folder, room in (("core/include/parhelion/core", "io"), ("core/src", "adding"), ("solvers/adding/src", "ega"),
                             ("solvers/ega/include/parhelion/ega", "retrieval"), ("solvers/adding/src", "io"),
                             ("solvers/retrieval/src", "adding"), ("solvers/adding/src", "parhelion.hpp"),
                             ("io/src", "apps")):
            with self.subTest(folder=folder, room=room):
                self.write("solvers/ega/src/a.cpp", SPDX)
                self.write(f"{folder}/planted.hpp", f"{SPDX}\n#include <parhelion/{room}/a.hpp>\n")
                code, output = self.check("floors")
                self.assertEqual(code, 1)
                self.assertIn(f"{folder}/planted.hpp:3: ", output)
                self.assertIn(f"includes parhelion/{room}", output)
                (self.root / folder / "planted.hpp").unlink()

    def test_includes_of_what_lies_below_pass(self):
        for folder, rooms in (("core/src", ["core"]), ("solvers/adding/src", ["core", "adding"]),
                              ("solvers/ega/src", ["ega"]), ("solvers/retrieval/src", ["core", "ega", "retrieval"]),
                              ("io/src", ["core", "io", "adding", "retrieval"]), ("apps", ["io", "adding"]),
                              ("tests/adding", ["parhelion.hpp", "io"])):
            lines = "".join(f"#include <parhelion/{room}/a.hpp>\n" for room in rooms)
            self.write(f"{folder}/a.cpp", SPDX + lines + "// #include <parhelion/nowhere/a.hpp>\n")
        self.assertEqual(self.check("floors"), (0, "floors: nothing found\n"))

    def test_names_of_models_in_kernels_are_found(self):
        for line, found in (("#include <parhelion/fluxes/ecckd/gas_optics.hpp>", "ecckd/gas_optics.hpp"),
                            ('#include "rrtmg_lw/band_terms.hpp"', "rrtmg_lw/band_terms.hpp"),
                            ("int const n = rrtmgp::naerosol_type;", "rrtmgp::naerosol_type"),
                            ("auto const water = Gas::h2o;", "Gas::h2o")):
            for name in ("longwave_kernel", "shortwave_sweeps", "absorption_terms", "team_data", "shortwave_optics"):
                with self.subTest(line=line, name=name):
                    self.write(f"solvers/fluxes/src/{name}.hpp", f"{SPDX}\n{line}\n")
                    self.assertEqual(self.check("kernels"), (1, f"solvers/fluxes/src/{name}.hpp:3: {found} in a kernel\n"))
                    (self.root / f"solvers/fluxes/src/{name}.hpp").unlink()

    def test_names_of_models_elsewhere_and_in_comments_pass(self):
        line = "#include <parhelion/fluxes/ecckd/gas_optics.hpp>\n"
        self.write("solvers/fluxes/src/longwave_setup.hpp", SPDX + line)
        self.write("solvers/fluxes/src/ecckd/longwave_kernel.hpp", SPDX + line)
        self.write("solvers/adding/src/sweeps.hpp", SPDX + line)
        self.write("solvers/fluxes/src/longwave_kernel.hpp", f"{SPDX}// as rrtmgp::Angles\n#include <parhelion/core/a.hpp>\n")
        self.assertEqual(self.check("kernels"), (0, "kernels: nothing found\n"))

    def test_comments_that_the_formatter_broke_are_found(self):
        name = "core/include/parhelion/core/a.hpp"
        for broken, found in ((r"/// Text. \param a b", r"3: \param does not begin the line"),
                              ("  /// \\param a b\n  /// any \\throws Error", r"4: \throws does not begin the line")):
            with self.subTest(broken=broken):
                self.write(name, f"{SPDX}\n{broken}\nvoid f(int a);\n")
                self.assertEqual(self.check("comments"), (1, f"{name}:{found}\n"))

    def test_comments_in_form_and_those_of_sources_pass(self):
        self.write("core/include/parhelion/core/a.hpp",
                   SPDX + "/// \\brief Long\n///        rest.\n/// \\param a b\n///   \\return a\n")
        self.write("core/src/a.hpp", SPDX + "/// Text. \\return a\n")
        self.assertEqual(self.check("comments"), (0, "comments: nothing found\n"))

    def test_missing_license_line_is_found(self):
        self.write("core/src/a.cpp", SPDX + "int a;\n")
        self.write("scripts/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n")
        self.assertEqual(self.check("licenses")[0], 0)
        self.write("io/src/b.cpp", "int b;\n" + SPDX)
        self.write("scripts/b.py", "")
        code, output = self.check("licenses")
        self.assertEqual(code, 1)
        self.assertIn("io/src/b.cpp", output)
        self.assertIn("scripts/b.py", output)
        self.assertNotIn("a.cpp", output)

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_tracked_data_and_big_files_are_found(self):
        self.assertEqual(self.check("tracked")[0], 77)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        names = ("small.txt", "data/case.nc", "RRTMG_LW_DATA.DBL", "RRTMG_LW_DATA", "big.txt")
        for name in names:
            self.write(name, "x" * (500_000 if name == "big.txt" else 10))
        self.write("untracked.nc", "x")
        self.assertEqual(self.check("tracked")[0], 0)
        subprocess.run(["git", "-C", self.root, "add", *names], check=True)
        code, output = self.check("tracked")
        self.assertEqual(code, 1)
        self.assertEqual(sorted(line.split(":")[0] for line in output.splitlines()), sorted(names[1:]))


if __name__ == "__main__":
    unittest.main()
