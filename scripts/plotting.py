# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts that draw results share: colours, robust limits of an axis, and the way from a file to a picture."""

import python_modules

python_modules.need("numpy", "h5py", "matplotlib")

import argparse
import os
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy as np

# Okabe & Ito's colours, which stay apart for all kinds of colour vision; lines differ in their dashes too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]
# What every file of a subcommand holds and no other, and the script that draws it.
SCRIPTS = {
    "heating_rate": "plot_fluxes.py",
    "sw_heating_rate": "plot_fluxes.py",
    "tangent_altitude": "plot_spectra.py",
    "q_radiative": "plot_monte_carlo.py",
    "averaging_kernel": "plot_retrieval.py",
    "rad_up": "plot_adding.py",
}


def style(n):
    """Chosen lines may be more than there are colours: then both repeat, but not together."""
    return {"color": COLOURS[n % len(COLOURS)], "linestyle": DASHES[(n + n // len(COLOURS)) % len(DASHES)]}


def spread(numbers):
    """Some of many, from the first to the last."""
    if len(numbers) <= len(COLOURS):
        return list(numbers)
    return [numbers[i] for i in np.linspace(0, len(numbers) - 1, len(COLOURS)).round().astype(int)]


def chosen(text, count, what):
    """The numbers of a list with commas; none where there is no list."""
    numbers = []
    for word in filter(None, (text or "").split(",")):
        if not word.strip().isdigit() or int(word) >= count:
            raise ValueError(f"no {what} {word}, expected 0 to {count - 1}")
        numbers.append(int(word))
    return numbers


def clip_axis(axes, values, ordinary, bold, unit):
    """Sets the horizontal limits so that they hold all bold values and all but the extremes of the ordinary ones:
    others would squeeze them into a part of the axis. Returns a note about what lies outside, or nothing."""
    low, high = np.percentile(ordinary, [0.3, 99.7])
    low, high = np.min(bold, initial=low), np.max(bold, initial=high)
    margin = 0.04 * max(high - low, 1e-3)
    axes.set_xlim(low - margin, high + margin)
    outside = values[(values < low - margin) | (values > high + margin)]
    if len(outside) == 0:
        return ""
    reach = f"{np.min(outside):.3g}" if len(outside) == 1 else f"{np.min(outside):.3g} to {np.max(outside):.3g}"
    return f"\n{len(outside)} of {values.size} values lie outside: {reach} {unit}"


def plain_numbers(axis):
    """1000 instead of 10^3 on a logarithmic axis."""
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))


def text(node, name):
    """A text attribute, empty where it is missing."""
    value = node.attrs.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)


def words(dataset):
    """The texts of a dataset."""
    return [each.decode() if isinstance(each, bytes) else str(each) for each in dataset[:]]


def at_end(file, name, surface):
    """(expt, site) of a file in RFMIP's layout: at the surface or at the top, whichever comes first in the file."""
    pressure = file["pres_level" if "pres_level" in file else "plev"][...]
    values = file[name][...].astype(float)
    level = pressure.argmax(axis=-1) if surface else pressure.argmin(axis=-1)
    return np.take_along_axis(values, np.broadcast_to(level, values.shape[:2])[..., None], axis=-1)[..., 0]


def need_variables(file, names, subcommand):
    missing = [name for name in names if name not in file]
    if missing:
        found = next((script for mark, script in SCRIPTS.items() if holds(file, mark)), None)
        hint = f"; {found} draws it" if found else ""
        raise ValueError(f"no {', no '.join(missing)}: not a result of parhelion {subcommand}{hint}")


def holds(file, name):
    """Whether a file, or a group in it, has a variable."""
    return name in file or any(isinstance(each, h5py.Group) and name in each for each in file.values())


def main(description, subcommand, read, draw, add_options=lambda parser: None):
    """The command line of a script that draws a file: `draw(read(file), arguments)` is the figure."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("result", metavar="RESULT.nc", help=f"file that parhelion {subcommand} wrote")
    parser.add_argument("-o", "--output", metavar="PICTURE.png", help="picture to write (default: RESULT.png)")
    parser.add_argument("--title", help="title of the picture (default: that of the file)")
    add_options(parser)
    arguments = parser.parse_args()
    refuse = lambda path, why: sys.exit(f"{parser.prog}: {path}: {why}")
    if not os.path.exists(arguments.result):
        refuse(arguments.result, "no such file")
    if not os.path.isfile(arguments.result) or not h5py.is_hdf5(arguments.result):
        refuse(arguments.result, f"not a netCDF-4 file, which parhelion {subcommand} writes with -o NAME.nc")
    try:
        file = h5py.File(arguments.result, "r")
    except OSError as error:
        refuse(arguments.result, f"cannot be read: {error}")
    with file:
        try:
            result = read(file)
        except ValueError as error:
            refuse(arguments.result, error)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            # Names are there, and shapes or types are not those of a result.
            refuse(arguments.result, f"not a result of parhelion {subcommand} ({type(error).__name__}: {error})")
        try:
            figure = draw(result, arguments)
        except (OSError, ValueError) as error:
            refuse(arguments.result, error)
    output = arguments.output or os.path.splitext(arguments.result)[0] + ".png"
    try:
        figure.savefig(output, dpi=150)
    except OSError as error:
        refuse(output, f"cannot be written: {error.strerror or error}")
    except ValueError as error:  # a format that does not exist
        refuse(output, error)
    print(output)
