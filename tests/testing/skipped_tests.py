#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says how many tests skipped for want of reference data, and judges it in CI.

    skipped_tests.py RESULTS FOLDER

RESULTS is what ctest --output-junit wrote, FOLDER the folder of reference data, which may be missing or an empty string.
Prints nothing where no test of reference data skipped. With CI=true exits with 1 where one skipped although all files that
it looked for are in the folder, unless it was for want of a device.
"""
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

FOUND = re.compile(r"^reference data (\S+) found: ", re.MULTILINE)
MISSING = re.compile(r"^reference data (\S+) not found in ", re.MULTILINE)
NO_DEVICE = "needs a device that is not here: "


def skipped_tests(results):
    """(name, files that were found, files that were not, whether a device was missing) of each test of reference data."""
    root = xml.etree.ElementTree.parse(results).getroot()
    tests = list(root.iter("testcase"))
    skipped = []
    for test in tests:
        output = test.findtext("system-out") or ""
        found, missing = set(FOUND.findall(output)), set(MISSING.findall(output))
        if test.find("skipped") is not None and (found or missing):
            skipped.append((test.get("name"), found, missing, NO_DEVICE in output))
    return len(tests), skipped


def main(arguments):
    count, skipped = skipped_tests(arguments[0])
    folder = pathlib.Path(arguments[1]) if arguments[1] else None
    for_want_of_data = [name for name, _, missing, _ in skipped if missing]
    if for_want_of_data:
        where = f"{folder} lacks" if folder and folder.is_dir() else "are not here"
        if folder and not folder.is_dir():
            where += f" ({folder}: no such folder)"
        print(f"{len(for_want_of_data)} of {count} tests were skipped: they compare with reference data that {where}.\n"
              "The three public files among these data are fetched by scripts/get-data.sh; the folder that holds all\n"
              "of them is ../shared/data, beside the clone, or where PARHELION_TEST_DATA says.")

    def is_there(name):
        return folder is not None and (folder / name).is_file()
    wrong = [(name, sorted(found | missing)) for name, found, missing, no_device in skipped
             if not no_device and all(is_there(file) for file in missing)]
    for name, files in wrong:
        print(f"{name} was skipped although {folder} holds {', '.join(files)}")
    return 1 if wrong and os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
