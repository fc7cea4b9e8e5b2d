#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the models of gas optics: accuracy beside cost, as tables and as a picture.

    compare_gas_optics.py [--ckdmip FOLDER] [--rfmip rfmip_atmospheres.nc --published FOLDER]
                          [--also COEFFICIENTS.nc] [--speed REPORT.json] [--program parhelion] -o PICTURE.png

It runs `parhelion fluxes` with each model and compares

- with line-by-line fluxes of CKDMIP's atmospheres (in FOLDER: *_concentrations_*.nc, *_lw_fluxes_*.nc and
  *_sw_fluxes_*.nc, of the same columns), at the top, at the surface, and heating rates of layers;
- with RTE+RRTMGP's fluxes of RFMIP's atmospheres (rlu, rld, rsu and rsd in FOLDER), which are those of another model.

All of these are looked for where scripts/get-data.sh puts them (get-data.sh rrtmg truth), unless options name others.
A model whose coefficients are not found is left out, with a line that says so. --also adds k-distributions by name of
their file. Speeds are medians of reports of perf_k_distributions, perf_longwave and perf_shortwave (--speed), or given
(--columns-per-second): they are shown, not measured here.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from plotting import COLOURS, at_end, h5py, np, plain_numbers, plt, text, words

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "perf"))
from compare import load, medians, rate

RANGES = ("longwave", "shortwave")
W_M2, K_DAY = "W m$^{-2}$", "K day$^{-1}$"
GRAVITY, HEAT_CAPACITY, DAY = 9.80665, 1004.0, 86400.0  # m s-2, J kg-1 K-1, s
# Pressures [Pa] between which root mean squares of heating rates are taken: troposphere and most of the stratosphere,
# and above. Layers are weighted by the difference of the cube root of pressure, so that both ends count.
BELOW, ABOVE = (400.0, 110000.0), (2.0, 400.0)
TOP, SURFACE = "up at the top", "down at the surface"
MARKS = {TOP: "o", SURFACE: "^"}
PLOT_LAYERS = 60  # speeds are drawn for columns of so many
TICKS = [digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5)]


@dataclasses.dataclass
class Model:
    """A model of gas optics, its options for each range that it has, and the benchmark of each."""
    name: str
    options: dict
    benchmarks: dict
    speeds: dict = dataclasses.field(default_factory=dict)  # by range: layers, columns/s in float, in double
    errors: dict = dataclasses.field(default_factory=dict)  # by range


def known_models():
    both = lambda name: {each: ["--gas-optics", name] for each in RANGES}
    # RRTMGP's tables end at 1 Pa, and CKDMIP's highest layer lies at 0.5 Pa.
    rrtmgp = {each: [*words, "--out-of-range", "clip"] for each, words in both("rrtmgp").items()}
    return [Model("RRTMG", both("rrtmg"), {"longwave": "rrtmg_exact", "shortwave": "rrtmg_sw_exact"}),
            Model("RRTMGP", rrtmgp, {"longwave": "rrtmgp_longwave", "shortwave": "rrtmgp_shortwave"}),
            Model("ecCKD", both("ecckd"), {"longwave": "ecckd_longwave", "shortwave": "ecckd_shortwave"}),
            Model("simple", {"longwave": ["--gas-optics", "simple"]}, {"longwave": "simple"})]


class NotThere(Exception):
    """Coefficients were not found."""


def compute(program, atmosphere, name, options, output):
    """Runs the program for a range of radiation."""
    command = [program, "fluxes", atmosphere, f"--{name}", *options, "-o", output, "--quiet"]
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    message = "\n".join(line for line in done.stderr.splitlines() if line.startswith("parhelion: ")) or done.stderr
    if re.search(r"not found in ", message):
        raise NotThere(message)
    raise OSError(f"{' '.join(map(str, command))}: {message.strip()}")


# --- CKDMIP ---------------------------------------------------------------------------------------------------------


def only_file(folder, pattern):
    found = sorted(pathlib.Path(folder).glob(pattern))
    if len(found) != 1:
        raise OSError(f"{folder}: {len(found)} files {pattern}, expected one (scripts/get-data.sh truth fetches it)")
    return found[0]


def open_hdf5(path, scratch):
    """The file, converted where it is in netCDF-3, as ecRad distributes CKDMIP's."""
    with open(path, "rb") as file:
        classic = file.read(3) == b"CDF"
    if not classic:
        return h5py.File(path)
    if shutil.which("nccopy") is None:
        raise OSError(f"{path}: is netCDF-3, and there is no nccopy, which would convert it (apt install netcdf-bin)")
    converted = scratch / f"converted_{path.name}"
    subprocess.run(["nccopy", "-k", "nc4", path, converted], check=True)
    return h5py.File(converted)


class Truth:
    """Fluxes (column, level) of a range, level 0 at the top; of the shortwave a column for each height of the sun."""

    def __init__(self, folder, name, scratch):
        short = {"longwave": "lw", "shortwave": "sw"}[name]
        with open_hdf5(only_file(folder, f"*_{short}_fluxes_*.nc"), scratch) as file:
            self.up, self.down = (file[f"flux_{way}_{short}"][...].astype(float) for way in ("up", "dn"))
            pressure = file["pressure_hl"][...].astype(float)
            self.suns = file["mu0"][...].astype(float) if name == "shortwave" else None
        if self.suns is not None:
            self.irradiance = self.down[0, :, 0] / self.suns
            self.albedo = (self.up / self.down)[0, 0, -1]
            pressure = np.repeat(pressure, len(self.suns), axis=0)
            self.up, self.down = (each.reshape(pressure.shape) for each in (self.up, self.down))
        self.pressure = pressure


def write_atmospheres(folder, path, truth):
    """Columns of CKDMIP in ecRad's layout, which the file has, with what the models need besides: no gases but those of
    the line-by-line calculation, and of the shortwave each column under each sun."""
    suns = truth.suns if truth.suns is not None else np.ones(1)
    source_path = only_file(folder, "*_concentrations_*.nc")
    with open_hdf5(source_path, path.parent) as source, h5py.File(path, "w") as target:
        def add(name, values, units):
            target[name] = values
            target[name].attrs["units"] = units.encode()

        for name, item in source.items():
            if name.endswith(("_hl", "_fl")):
                add(name, np.repeat(item[...], len(suns), axis=0), text(item, "units"))
        layers = target["h2o_mole_fraction_fl"].shape
        for gas in ("ccl4", "cfc22"):  # the CFC11 of these files stands for them
            if f"{gas}_mole_fraction_fl" not in target:
                add(f"{gas}_mole_fraction_fl", np.zeros(layers), "1")
        if not np.allclose(target["pressure_hl"][...], truth.pressure, rtol=1e-6):
            raise OSError(f"{folder}: fluxes and concentrations are of different columns")
        if truth.suns is not None:
            count = layers[0] // len(suns)
            add("cos_solar_zenith_angle", np.tile(suns, count), "1")
            add("total_solar_irradiance", np.tile(truth.irradiance, count), "W m-2")
            add("sw_albedo", np.full(layers[0], truth.albedo), "1")


def heating_rates(up, down, pressure):
    """Of layers [K day-1], level 0 at the top."""
    net = down - up
    return GRAVITY / HEAT_CAPACITY * DAY * (net[:, :-1] - net[:, 1:]) / (pressure[:, 1:] - pressure[:, :-1])


def rms(values):
    return np.sqrt(np.mean(np.square(values)))


@dataclasses.dataclass
class Errors:
    """What a model makes of a range."""
    bias: dict           # by place [W m-2]
    rms: dict
    heating: dict        # by range of pressures: root mean square [K day-1]
    profile: np.ndarray  # root mean square of heating rates at each layer


def weights(pressure, between):
    """Of layers, by the cube root of pressure, within two pressures."""
    roots = np.cbrt(np.clip(pressure, *between))
    return roots[:, 1:] - roots[:, :-1]


def errors_of(up, down, truth):
    difference = {TOP: up[:, 0] - truth.up[:, 0], SURFACE: down[:, -1] - truth.down[:, -1]}
    heating = heating_rates(up, down, truth.pressure) - heating_rates(truth.up, truth.down, truth.pressure)
    return Errors(bias={place: values.mean() for place, values in difference.items()},
                  rms={place: rms(values) for place, values in difference.items()},
                  heating={each: np.sqrt(np.average(heating**2, weights=weights(truth.pressure, each)))
                           for each in (BELOW, ABOVE)},
                  profile=np.sqrt(np.mean(heating**2, axis=0)))


def read_fluxes(path, name):
    prefix = "sw_" if name == "shortwave" else ""
    with h5py.File(path) as file:
        return file[f"{prefix}flux_up"][...], file[f"{prefix}flux_dn"][...]


# --- RFMIP ----------------------------------------------------------------------------------------------------------

VARIABLES = {"longwave": {TOP: "rlu", SURFACE: "rld"}, "shortwave": {TOP: "rsu", SURFACE: "rsd"}}


@dataclasses.dataclass
class Departure:
    """Of a model's fluxes from published ones, means over sites with their weights."""
    mean: dict    # by place, of the first experiment [W m-2]
    rms: dict
    change: dict  # by place: the largest departure of a change from the first experiment to another, and which


def departure_of(path, folder, name):
    mean, scatter, change = {}, {}, {}
    with h5py.File(path) as file:
        weight, labels = file["profile_weight"][...], words(file["expt_label"])
        for place, variable in VARIABLES[name].items():
            with h5py.File(only_file(folder, f"{variable}_*.nc")) as published:
                difference = (at_end(file, variable, place == SURFACE)
                              - at_end(published, variable, place == SURFACE))
            means = np.average(difference, axis=1, weights=weight)
            mean[place] = means[0]
            scatter[place] = np.sqrt(np.average(difference[0]**2, weights=weight))
            worst = np.abs(means - means[0]).argmax()
            change[place] = (means[worst] - means[0], labels[worst])
    return Departure(mean, scatter, change)


# --- speeds ---------------------------------------------------------------------------------------------------------

BENCHMARK = re.compile(r"(\w+)/(\w+)/(float|double)/ncol:(\d+)/nlay:(\d+)/block:0/manual_time")


def read_speeds(models, reports, given):
    """Of the largest number of columns that both precisions were measured with, and layers that are nearest to those of
    the picture."""
    found, spaces = {}, set()
    for path in reports:
        for name, run in medians(load(path)).items():
            if match := BENCHMARK.fullmatch(name):
                which, space, precision, columns, layers = match.groups()
                spaces.add(space)
                found.setdefault(which, {}).setdefault((int(columns), int(layers)), {})[precision] = rate(run)
    if len(spaces) > 1:
        raise ValueError(f"{', '.join(reports)}: runs on {', '.join(sorted(spaces))}, expected one execution space")
    for model in models:
        for name, benchmark in model.benchmarks.items():
            sizes = [size for size, each in found.get(benchmark, {}).items() if len(each) == 2]
            if sizes:
                size = max(sizes, key=lambda each: (each[0], -abs(each[1] - PLOT_LAYERS)))
                each = found[benchmark][size]
                model.speeds[name] = (size[1], each["float"], each["double"])
    for each in given:
        match = re.fullmatch(r"(\w+):(longwave|shortwave):(\d+)=([\d.e+]+),([\d.e+]+)", each)
        chosen = [model for model in models if match and model.name.lower() == match[1].lower()]
        if not chosen:
            raise ValueError(f"{each}: expected MODEL:RANGE:LAYERS=FLOAT,DOUBLE with one of "
                             f"{', '.join(model.name for model in models)}")
        chosen[0].speeds[match[2]] = (int(match[3]), float(match[4]), float(match[5]))


# --- results --------------------------------------------------------------------------------------------------------


def number(value, width=8, digits=2):
    """Without the sign of what rounds to zero."""
    return f"{round(float(value), digits) + 0.0:{width}.{digits}f}"


def speed_words(model, name):
    if name not in model.speeds:
        return f"{'-':>8}{'-':>8}{'-':>8}"
    layers, single, double = model.speeds[name]
    return f"{single / 1e6:8.2f}{double / 1e6:8.2f}{layers:8d}"


def print_ckdmip(models, name, truth):
    suns = "" if truth.suns is None else f" under {len(truth.suns)} suns"
    count = len(truth.pressure) // (1 if truth.suns is None else len(truth.suns))
    print(f"{name.capitalize()} against line-by-line fluxes of {count} atmospheres of CKDMIP{suns}")
    print(f"{'':34}{'up at the top':>16}{'down at surface':>18}{'heating rate':>18}{'million columns/s':>24}")
    print(f"{'':34}{'mean':>8}{'rms':>8}{'mean':>10}{'rms':>8}{'>4 hPa':>10}{'<4 hPa':>8}{'float':>8}{'double':>8}"
          f"{'layers':>8}")
    for model in models:
        if name in model.errors:
            each = model.errors[name]
            print(f"{model.name:34}{number(each.bias[TOP])}{number(each.rms[TOP])}{number(each.bias[SURFACE], 10)}"
                  f"{number(each.rms[SURFACE])}{number(each.heating[BELOW], 10, 3)}{number(each.heating[ABOVE], 8, 3)}"
                  f"{speed_words(model, name)}")
    print()


def print_speeds(models):
    """Layers per second, over those of the first model."""
    first = models[0]
    if not any(name in model.speeds for model in models[1:] for name in first.speeds):
        return
    print(f"Speed with equal numbers of layers, over that of {first.name}")
    print(f"{'':34}" + "".join(f"{name:>16}" for name in RANGES))
    print(f"{'':34}" + f"{'float':>8}{'double':>8}" * len(RANGES))
    for model in models[1:]:
        if model.speeds:
            print(f"{model.name:34}" + "".join(ratio_words(model, first, name) for name in RANGES))
    print()


def ratio_words(model, first, name):
    if name not in model.speeds or name not in first.speeds:
        return f"{'-':>8}{'-':>8}"
    (layers, *rates), (of_first, *others) = model.speeds[name], first.speeds[name]
    return "".join(number(each * layers / (other * of_first)) for each, other in zip(rates, others))


def print_rfmip(departures, name):
    print(f"{name.capitalize()} of RFMIP's atmospheres minus RTE+RRTMGP's: present day, and the change to an "
          "experiment that departs most")
    print(f"{'':34}{'up at the top':>24}{'down at surface':>26}")
    print(f"{'':34}{'mean':>8}{'rms':>8}{'change':>8}{'mean':>10}{'rms':>8}{'change':>8}  of (top; surface)")
    for model, each in departures:
        (top, top_label), (surface, surface_label) = each.change[TOP], each.change[SURFACE]
        print(f"{model.name:34}{number(each.mean[TOP])}{number(each.rms[TOP])}{number(top)}"
              f"{number(each.mean[SURFACE], 10)}{number(each.rms[SURFACE])}{number(surface)}"
              f"  {top_label}; {surface_label}")
    print()


def draw_costs(axes, models, name):
    """Root mean square errors over columns per second, each from double to float."""
    if not any(name in model.speeds for model in models):
        axes.set_axis_off()
        axes.text(0.5, 0.5, f"{name.capitalize()}: no speed is given", horizontalalignment="center")
        return
    for colour, model in zip(COLOURS, models):
        if name not in model.speeds:
            continue
        layers, single, double = model.speeds[name]
        speeds = np.array([double, single]) * layers / PLOT_LAYERS / 1e6
        if name not in model.errors:
            axes.axvspan(*speeds, color=colour, alpha=0.15, label=f"{model.name}: speed alone is known")
            continue
        for place, mark in MARKS.items():
            error = model.errors[name].rms[place]
            axes.plot(speeds, [error, error], color=colour)
            # Hollow: double, filled: float.
            axes.plot(speeds[:1], [error], mark, color=colour, markersize=8, markerfacecolor="white")
            axes.plot(speeds[1:], [error], mark, color=colour, markersize=8, label=f"{model.name}: {place}")
    axes.set(xscale="log", yscale="log", ylabel=f"Root mean square error of fluxes [{W_M2}]",
             xlabel=f"Million columns of {PLOT_LAYERS} layers per second (hollow: double, filled: float)",
             title=f"{name.capitalize()}: lower and further right is better")
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        axis.set_minor_formatter(plt.NullFormatter())
        plain_numbers(axis)
        axis.set_ticks([tick for tick in TICKS if limits[0] <= tick <= limits[1]])
    axes.legend(fontsize="small", loc="best")


def draw_profiles(axes, models, name, truth):
    pressure = np.exp(np.log(0.5 * (truth.pressure[:, 1:] + truth.pressure[:, :-1])).mean(axis=0)) / 100
    for colour, model in zip(COLOURS, models):
        if name in model.errors:
            axes.plot(model.errors[name].profile, pressure, color=colour, label=model.name)
    axes.set(xscale="log", yscale="log", xlabel=f"Root mean square error of heating rates [{K_DAY}]",
             ylabel="Pressure [hPa]", title=f"{name.capitalize()}: heating rates")
    axes.invert_yaxis()
    plain_numbers(axes.xaxis)
    plain_numbers(axes.yaxis)
    if any(name in model.errors for model in models):
        axes.legend(fontsize="small", loc="best")


def draw(models, truths, path):
    figure, panels = plt.subplots(len(truths), 2, figsize=(12, 5 * len(truths)), layout="constrained", squeeze=False,
                                  width_ratios=(1.3, 1))
    for (cost, profile), (name, truth) in zip(panels, truths.items()):
        draw_costs(cost, models, name)
        draw_profiles(profile, models, name, truth)
        for axes in (cost, profile):
            axes.grid(color="0.9")
            axes.set_axisbelow(True)
    figure.savefig(path, dpi=90)


def add_further(models, paths, program, atmospheres, scratch):
    """k-distributions of either range: the one that takes them."""
    for path in paths:
        refusals = []
        for name in RANGES:
            options = ["--coefficients", path]
            try:
                compute(program, atmospheres[name], name, options, scratch / "further.nc")
            except OSError as refusal:
                refusals.append(str(refusal))
                continue
            label = pathlib.Path(path).name.removesuffix(".nc").removesuffix("_ckd-definition")
            models.append(Model(label, {name: options}, {}))
            break
        if len(refusals) == len(RANGES):
            raise OSError("\n".join(refusals))


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fetched = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "parhelion"
    parser.add_argument("--ckdmip", default=fetched, metavar="FOLDER",
                        help="concentrations and line-by-line fluxes (default: %(default)s)")
    parser.add_argument("--rfmip", metavar="FILE", help="RFMIP's atmospheres")
    parser.add_argument("--published", metavar="FOLDER", help="fluxes of RTE+RRTMGP for them")
    parser.add_argument("--also", action="append", default=[], metavar="FILE", help="a further k-distribution")
    parser.add_argument("--speed", action="append", default=[], metavar="REPORT.json", help="report of a benchmark")
    parser.add_argument("--columns-per-second", action="append", default=[],
                        metavar="MODEL:RANGE:LAYERS=FLOAT,DOUBLE", help="where there is no report of it")
    parser.add_argument("--program", default="parhelion", help="default: %(default)s of the PATH")
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE.png")
    arguments = parser.parse_args(argv)
    if (arguments.rfmip is None) != (arguments.published is None):
        parser.error("--rfmip and --published belong together")
    if arguments.rfmip is None and (fetched / "rfmip_atmospheres.nc").exists() and list(fetched.glob("rlu_*.nc")):
        arguments.rfmip, arguments.published = fetched / "rfmip_atmospheres.nc", fetched
    return arguments


def main(argv=None):
    arguments = arguments_of(argv)
    models = known_models()
    read_speeds(models, arguments.speed, arguments.columns_per_second)
    absent = set()
    truths, departures = {}, {name: [] for name in RANGES}
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        atmospheres = {name: scratch / f"{name}.nc" for name in RANGES}
        for name, path in atmospheres.items():
            truths[name] = Truth(arguments.ckdmip, name, scratch)
            write_atmospheres(arguments.ckdmip, path, truths[name])
        add_further(models, arguments.also, arguments.program, atmospheres, scratch)
        output = scratch / "fluxes.nc"
        for model in models:
            for name, options in model.options.items():
                try:
                    compute(arguments.program, atmospheres[name], name, options, output)
                    model.errors[name] = errors_of(*read_fluxes(output, name), truths[name])
                    if arguments.rfmip:
                        compute(arguments.program, arguments.rfmip, name, options, output)
                        departures[name].append((model, departure_of(output, arguments.published, name)))
                except NotThere:
                    absent.add(model.name)
    draw(models, truths, arguments.output)
    for name, truth in truths.items():
        print_ckdmip(models, name, truth)
    print_speeds(models)
    for name, each in departures.items():
        if each:
            print_rfmip(each, name)
    for name in sorted(absent):
        print(f"{name} was not computed: its coefficients are not here (scripts/get-data.sh {name.lower()})")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, KeyError, ValueError, subprocess.CalledProcessError) as failure:
        sys.exit(f"compare_gas_optics.py: {failure}")
