# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts that write input by formula share."""

import argparse
import os
import sys


def describe(target, **attributes):
    """Adds text attributes of fixed length to a node of HDF5, which every netCDF reader takes."""
    for name, text in attributes.items():
        target.attrs[name] = text.encode()


def refuse_without_folder(parser, path):
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        sys.exit(f"{parser.prog}: {path}: no folder {folder}")


def main(description, metavar, write, add_options=lambda parser: None):
    """The command line of a script that writes a file: `write(path, arguments)` makes it, under a temporary name."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", metavar=metavar, help="file to write")
    add_options(parser)
    arguments = parser.parse_args()
    refuse_without_folder(parser, arguments.output)
    temporary = f"{arguments.output}.{os.getpid()}.tmp"
    try:
        write(temporary, arguments)
        os.replace(temporary, arguments.output)
    except OSError as error:
        sys.exit(f"{parser.prog}: {arguments.output}: {error}")
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
