#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/test.sh says of tests that skipped, and how it ends, with results that a stand-in for ctest writes."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from xml.sax.saxutils import escape

from scripts_testing import SCRIPTS

CTEST = r'''#!/bin/sh
while [ "$1" != --output-junit ]; do shift; done
cp "$RESULTS" "$2"
echo "100% tests passed, 0 tests failed out of 3"
exit "$CTEST_STATUS"
'''
FOUND = "reference data ada/clear.h5 found: /data/ada/clear.h5\n"
MISSING = "reference data mc/h2o.h5 not found in /data; PARHELION_TEST_DATA names the folder that holds them\n"
NO_DEVICE = "needs a device that is not here: a second execution space\n"


class SkippedTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.clone = self.root / "clone"
        self.data = self.root / "shared/data"
        for path in ("scripts", "tests/testing", "build", "build-ci", "bin"):
            (self.clone / path).mkdir(parents=True)
        shutil.copy(SCRIPTS / "test.sh", self.clone / "scripts")
        shutil.copy(SCRIPTS.parent / "tests/testing/skipped_tests.py", self.clone / "tests/testing")
        for name, text in (("scripts/setup.sh", "#!/bin/sh\n"), ("bin/ctest", CTEST)):
            (self.clone / name).write_text(text, encoding="utf-8")
            (self.clone / name).chmod(0o755)
        for build in ("build", "build-ci"):
            (self.clone / build / "CMakeCache.txt").write_text("PARHELION_TEST_DATA:PATH=\n", encoding="utf-8")

    def run_tests(self, outputs, ci=False, ctest_status=0, **more):
        """outputs: what each skipped test printed; one other test passed and one skipped for a reason of its own."""
        cases = ['<testcase name="a.passes" status="run"><system-out>fine</system-out></testcase>',
                 '<testcase name="a.other" status="notrun"><skipped message="x"/><system-out>no ncdump</system-out></testcase>']
        cases += [f'<testcase name="skips.{i}" status="notrun"><skipped message="x"/>'
                  f'<system-out>{escape(text)}</system-out></testcase>' for i, text in enumerate(outputs)]
        results = self.root / "results.xml"
        results.write_text(f"<testsuite>{''.join(cases)}</testsuite>", encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key not in ("CI", "PARHELION_TEST_DATA")}
        environment.update(PATH=f"{self.clone / 'bin'}:{os.environ['PATH']}", RESULTS=str(results),
                           CTEST_STATUS=str(ctest_status), **more)
        if ci:
            environment["CI"] = "true"
        outcome = subprocess.run([self.clone / "scripts/test.sh"], env=environment, capture_output=True, text=True,
                                 timeout=60, check=False)
        self.assertEqual(outcome.stderr, "")
        self.assertIn("100% tests passed, 0 tests failed out of 3\n", outcome.stdout)
        return outcome.returncode, outcome.stdout

    def have(self, name, folder=None):
        path = (folder or self.data) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")

    def test_counts_and_says_how_to_get_the_data(self):
        for ci in (False, True):
            status, output = self.run_tests([MISSING, FOUND + MISSING], ci)
            self.assertEqual(status, 0)
            last = output.strip().splitlines()[-3:]
            self.assertEqual(last[0], "2 of 4 tests were skipped: they compare with reference data that are not here "
                                      "(../shared/data: no such folder).")
            self.assertIn("scripts/get-data.sh", last[1])
            self.assertIn("PARHELION_TEST_DATA", last[2])

    def test_says_nothing_where_all_ran(self):
        status, output = self.run_tests([], ci=True)
        self.assertEqual((status, output.strip()), (0, "100% tests passed, 0 tests failed out of 3"))

    def test_files_that_the_folder_lacks_are_no_failure(self):
        self.have("ada/clear.h5")
        status, output = self.run_tests([FOUND + MISSING], ci=True)
        self.assertEqual(status, 0)
        self.assertIn("1 of 3 tests were skipped: they compare with reference data that ../shared/data lacks.", output)

    def test_files_that_are_there_fail_in_ci(self):
        self.have("mc/h2o.h5")
        for ci in (False, True):
            status, output = self.run_tests([MISSING], ci)
            self.assertEqual(status, int(ci))
            self.assertIn("skips.0 was skipped although ../shared/data holds mc/h2o.h5", output)

    def test_the_folder_of_the_variable_counts(self):
        self.have("mc/h2o.h5")
        self.assertEqual(self.run_tests([MISSING], ci=True, PARHELION_TEST_DATA=str(self.root / "none"))[0], 0)
        self.assertEqual(self.run_tests([MISSING], ci=True, PARHELION_TEST_DATA="")[0], 0)
        self.have("mc/h2o.h5", self.root / "own")
        self.assertEqual(self.run_tests([MISSING], ci=True, PARHELION_TEST_DATA=str(self.root / "own"))[0], 1)
        (self.clone / "build-ci/CMakeCache.txt").write_text(f"PARHELION_TEST_DATA:PATH={self.root / 'none'}\n", encoding="utf-8")
        self.assertEqual(self.run_tests([MISSING], ci=True)[0], 0)

    def test_another_reason_than_data_fails_in_ci_but_a_device(self):
        status, output = self.run_tests([FOUND + "there is no ncdump\n"], ci=True)
        self.assertEqual(status, 1)
        self.assertIn("skips.0 was skipped although ../shared/data holds ada/clear.h5", output)
        self.assertEqual(self.run_tests([FOUND + NO_DEVICE], ci=True)[0], 0)

    def test_failures_stay_failures(self):
        self.assertEqual(self.run_tests([MISSING], ctest_status=8)[0], 8)
        self.have("mc/h2o.h5")
        self.assertEqual(self.run_tests([MISSING], ci=True, ctest_status=8)[0], 8)


if __name__ == "__main__":
    unittest.main()
