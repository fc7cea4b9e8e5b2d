# SPDX-License-Identifier: BSD-3-Clause
"""Small valid inputs of every kind, made by formula, and the commands that read them."""
import struct
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np


@dataclass
class Seed:
    """A folder of valid files and a command that reads them."""

    kind: str
    name: str
    command: list  # arguments of the program, paths relative to the folder
    targets: dict  # files that are changed: name to "hdf5", "text" or "binary"
    outputs: list  # files that the command writes
    options: list = field(default_factory=list)  # lists of further arguments, one of which may be added
    folder: Path = None  # where the files are


# --- atmospheres for fluxes --------------------------------------------------------------------------------------

NCOL, NLAY = 3, 8
GASES = ("h2ovmr", "co2vmr", "o3vmr", "n2ovmr", "ch4vmr", "o2vmr", "ccl4vmr", "cfc11vmr", "cfc12vmr", "cfc22vmr")
RATIOS = (None, 4e-4, 1e-6, 3.3e-7, 1.8e-6, 0.209, 1e-10, 2e-10, 5e-10, 2e-10)


def put(group, name, values, units=None):
    dataset = group.create_dataset(name, data=values)
    if units is not None:
        dataset.attrs["units"] = units
    return dataset


def profiles():
    """Pressure [hPa] and temperature [K] of levels and layers, the surface first."""
    c = np.arange(NCOL)[:, None]
    plev = (1000.0 + c) * np.exp(-0.7 * np.arange(NLAY + 1))
    play = np.sqrt(plev[:, 1:] * plev[:, :-1])

    def temperature(p):
        return np.maximum(210.0, 290.0 + 3 * c + 20 * np.log(p / 1000))

    return plev, play, temperature(plev), temperature(play)


def write_columns(path, top_first=False, pascal=False, clouds=None, aerosol=False, places=False):
    plev, play, tlev, tlay = profiles()
    order = slice(None, None, -1 if top_first else 1)
    factor, unit = (100.0, "Pa") if pascal else (1.0, "hPa")
    with h5py.File(path, "w") as file:
        put(file, "plev", plev[:, order] * factor, unit)
        put(file, "play", play[:, order] * factor, unit)
        put(file, "tlev", tlev[:, order], "K")
        put(file, "tlay", tlay[:, order], "K")
        put(file, "tsfc", tlev[:, 0] + 1, "K")
        put(file, "emis", np.full((NCOL, 16), 0.97) if aerosol else np.full(NCOL, 0.97), "1")
        for name, ratio in zip(GASES, RATIOS):
            values = 0.01 * (play / 1000) ** 3 + 3e-6 if ratio is None else np.full_like(play, ratio)
            put(file, name, values[:, order], "mol mol-1")
        if aerosol:
            put(file, "tauaer", np.full((NCOL, NLAY, 16), 0.02), "1")
            file.attrs["idrv"] = 1
        if places:
            put(file, "lat", np.linspace(-60.0, 60.0, NCOL), "degrees_north")
            put(file, "lon", np.linspace(10.0, 300.0, NCOL), "degrees_east")
            labels = np.array(["first", "second column", "third"], dtype=object)
            file.create_dataset("column_label", data=labels, dtype=h5py.string_dtype())
        if clouds == "layers":
            put(file, "cldfrac", np.tile(np.linspace(0, 1, NLAY), (NCOL, 1)), "1")
            put(file, "clwp", np.full((NCOL, NLAY), 30.0), "g m-2")
            put(file, "ciwp", np.full((NCOL, NLAY), 10.0), "g m-2")
            put(file, "rel", np.full((NCOL, NLAY), 10.0), "um")
            put(file, "rei", np.full((NCOL, NLAY), 40.0), "um")
            file.attrs["icld"] = 4 if pascal else 2
        if clouds == "gpoints":
            cloudy = np.zeros((NCOL, NLAY, 140), "i1")
            cloudy[..., ::3] = 1
            put(file, "cldfmcl", cloudy, "1")
            for name in ("ciwpmcl", "clwpmcl"):
                put(file, name, np.full(cloudy.shape, 5.0), "g m-2")
            put(file, "taucmcl", np.full(cloudy.shape, 0.3), "1")
            put(file, "reicmcl", np.full((NCOL, NLAY), 40.0), "um")
            put(file, "relqmcl", np.full((NCOL, NLAY), 10.0), "um")
            put(file, "inflglw", np.array([2, 0, 2], "i4"))
            put(file, "iceflglw", np.array([3, 1, 2], "i4"))
            put(file, "liqflglw", np.array([1, 1, 0], "i4"))


def write_rfmip(path):
    plev, play, tlev, tlay = (each[:, ::-1] for each in profiles())
    both = lambda values: np.stack([values, values + 1])
    with h5py.File(path, "w") as file:
        put(file, "pres_level", plev * 100, "Pa")
        put(file, "pres_layer", play * 100, "Pa")
        put(file, "temp_level", both(tlev), "K")
        put(file, "temp_layer", both(tlay), "K")
        put(file, "surface_temperature", both(tlev[:, -1]), "K")
        put(file, "surface_emissivity", np.full(NCOL, 0.97), "1")
        put(file, "water_vapor", np.stack([0.01 * (play / 1000) ** 3] * 2), "1")
        put(file, "ozone", np.full((2, NCOL, NLAY), 1e-6), "1")
        for name, values, units in (
                ("carbon_dioxide_GM", [400.0, 280.0], "1.e-6"), ("methane_GM", [1800.0, 700.0], "1.e-9"),
                ("nitrous_oxide_GM", [330.0, 270.0], "1.e-9"), ("oxygen_GM", [0.209, 0.208], "1"),
                ("carbon_monoxide_GM", [1.2e-7, 1e-7], "1"), ("cfc11_GM", [230.0, 1.0], "1.e-12"),
                ("cfc12_GM", [520.0, 2.0], "1.e-12"), ("hcfc22_GM", [230.0, 3.0], "1.e-12"),
                ("carbon_tetrachloride_GM", [83.0, 4.0], "1.e-12")):
            put(file, name, np.array(values), units)
        labels = np.array(["present day", "past"], dtype=object)
        file.create_dataset("expt_label", data=labels, dtype=h5py.string_dtype())
        put(file, "profile_weight", np.array([1.0, 2.0, 3.0]), "1")
        put(file, "lat", np.array([-60.0, 0.0, 45.0]), "degrees_north")
        put(file, "lon", np.array([10.0, 120.0, 300.0]), "degrees_east")


RECORDS = (5664, 5056, 32864, 28608, 31360, 1616, 16544, 6608, 16544, 5056, 5664, 9728, 15520, 5056, 12464, 13504)


def write_coefficients(path, real=4):
    """A file in the format of RRTMG_LW_DATA all of whose numbers are 1/16: Planck fractions sum to 1."""
    with open(path, "wb") as file:
        for count in RECORDS:
            marker = struct.pack(">I", count * real)
            file.write(marker + np.full(count, 1 / 16, f">f{real}").tobytes() + marker)


# --- profiles for adding -----------------------------------------------------------------------------------------


def add_group(file, name, nprofile=3, nlay=5, nangle=2, phase=None, sun=False, sensitivities=False):
    group = file.create_group(name)
    x, w = np.polynomial.legendre.leggauss(nangle)
    mu, weight = (x + 1) / 2, w / 2
    of = lambda values: np.tile(values, (nprofile, 1))
    layers = np.linspace(0.05, 0.4, nlay)
    put(group, "od", of(layers))
    put(group, "planck_atm", of(np.linspace(20.0, 90.0, nlay)), "mW m-2 sr-1 (cm-1)-1")
    put(group, "planck_sfc", np.full(nprofile, 100.0))
    put(group, "mu", of(mu))
    put(group, "weight", of(weight))
    put(group, "emissivity", np.full((nprofile, nangle), 0.9))
    put(group, "reflectivity", np.full((nprofile, nangle, nangle), 0.1 / nangle))
    put(group, "cosmic", np.full(nprofile, 0.001))
    if sun:
        put(group, "cos_sun", np.full(nprofile, 0.6))
        put(group, "solar_irradiance", np.full(nprofile, 50.0))
        put(group, "direct_reflectivity", np.full((nprofile, nangle), 0.1))
    if phase:
        put(group, "ssa", of(np.linspace(0.1, 0.9, nlay)))
        count = nlay if phase == "layers" else 2
        forward = np.full((nprofile, count, nangle, nangle + 1), 0.7)
        ending = "" if phase == "layers" else "_types"
        put(group, "pff" + ending, forward)
        put(group, "pbb" + ending, 1 - forward)
        if phase == "types":
            put(group, "type", of(np.arange(nlay) % 3).astype("i4"))
    if sensitivities:
        put(group, "tl_in/od", of(0.01 * layers))
        put(group, "tl_in/planck_sfc", np.full(nprofile, 1.0))
        put(group, "ad_in/rad_toa", np.full((nprofile, nangle), 1.0))


# --- files of JURASSIC -------------------------------------------------------------------------------------------

CHANNELS = (792.0, 2350.0)
TABLE_GASES = ("CO2", "H2O")


def small_table(gas, nu):
    """Pressures, and for each the curves (temperature, column densities, emissivities)."""
    strength = 1e-19 * (1 if gas == "CO2" else 3) * (1 + nu / 5000)
    pressures = np.geomspace(0.02, 900, 30)
    curves = []
    for p in pressures:
        of_pressure = []
        for t in (200.0, 300.0):
            u = np.geomspace(1e15, 1e21, 5).astype("f4")
            eps = (1 - np.exp(-strength * u.astype("f8") * (p / 1000) ** 0.2 * (t / 300))).astype("f4")
            keep = np.concatenate([[True], np.diff(eps) > 0]) & (eps > 0)
            of_pressure.append((t, u[keep], eps[keep]))
        curves.append(of_pressure)
    return pressures, curves


def table_text(gas, nu):
    lines = ["# pressure [hPa], temperature [K], column density [cm-2], emissivity"]
    pressures, curves = small_table(gas, nu)
    for p, of_pressure in zip(pressures, curves):
        for t, u, eps in of_pressure:
            lines.append("")
            lines += [f"{p:.6g} {t:g} {a:.6g} {b:.6g}" for a, b in zip(u, eps)]
    return "\n".join(lines) + "\n"


def table_binary(gas, nu, layout):
    pressures, curves = small_table(gas, nu)
    out = [struct.pack("<i", len(pressures)), pressures.astype("<f8").tobytes()]
    if layout == "scatter":
        out.append(struct.pack(f"<{len(curves)}i", *(len(each) for each in curves)))
    for of_pressure in curves:
        if layout != "scatter":
            out.append(struct.pack("<i", len(of_pressure)))
        out.append(np.array([t for t, _, _ in of_pressure], "<f8").tobytes())
        if layout == "scatter":
            out.append(struct.pack(f"<{len(of_pressure)}i", *(len(u) for _, u, _ in of_pressure)))
        for _, u, eps in of_pressure:
            if layout != "scatter":
                out.append(struct.pack("<i", len(u)))
            out += [u.astype("<f4").tobytes(), eps.astype("<f4").tobytes()]
    return b"".join(out)


def write_tables(folder, layout, program=None):
    folder.mkdir(exist_ok=True)
    for nu in CHANNELS:
        (folder / f"box_{nu:.4f}.filt").write_text(f"{nu - 0.5} 0.5\n{nu} 1\n{nu + 0.5} 0.5\n")
        for gas in TABLE_GASES:
            name = folder / f"box_{nu:.4f}_{gas}"
            if layout == "text":
                name.with_name(name.name + ".tab").write_text(table_text(gas, nu))
            else:
                name.with_name(name.name + ".bin").write_bytes(table_binary(gas, nu, layout))
    if layout == "hdf5":
        program(["tables", "pack", "--base", "box", "--gases", ",".join(TABLE_GASES), "--channels",
                 ",".join(map(str, CHANNELS)), "-o", "box.h5", "--quiet"], folder)
        for path in folder.glob("*.bin"):
            path.unlink()


def write_continua(folder):
    folder.mkdir()
    (folder / "ctmco2.txt").write_text("# nu 296 K 260 K 230 K\n0 1e-4 1e-4 1e-4\n2000 1e-4 2e-4 3e-4\n4000 1e-4 2e-4 3e-4\n")
    (folder / "ctmh2o.txt").write_text("0 1 2 0.01\n10000 1 2 0.01\n20000 1 2 0.01\n")
    (folder / "ctmh2o_xfcrev.txt").write_text("820 1\n900 1.05\n960 1.1\n")
    (folder / "ctmn2.txt").write_text("2120 0 200\n2350 2.5 300\n2605 0 400\n")
    (folder / "ctmo2.txt").write_text("1360 0 200\n1550 3 300\n1805 0 400\n")


def control_text(**others):
    keys = {"TBLBASE": "tables/box", "TBLFMT": "2", "NG": "2", "EMITTER[0]": "CO2", "EMITTER[1]": "H2O", "ND": "2",
            "NU[0]": "792.0000", "NU[1]": "2350.0000", "RAYDS": "20", "RAYDZ": "1", "RETP_ZMIN": "5",
            "RETP_ZMAX": "6", "RETT_ZMIN": "10", "RETT_ZMAX": "20", "RETQ_ZMIN[1]": "10", "RETQ_ZMAX[1]": "15",
            "RETK_ZMIN[0]": "10", "RETK_ZMAX[0]": "10"}
    keys.update(others)
    return "".join(f"{key.replace('__', '[') + ']' if '__' in key else key} = {value}\n" for key, value in keys.items())


def atmosphere_text(cloud=False, surface=False):
    lines = ["# time altitude longitude latitude pressure temperature CO2 H2O extinction"]
    for z in range(0, 61, 5):
        t = 288 - 5 * z if z < 15 else 213 + z - 15
        line = f"0 {z} 10 45 {1013 * np.exp(-z / 7):.8g} {t} 4e-4 {1e-3 * np.exp(-z / 4):.6g} 1e-5"
        line += " 8 1 0.1 0.2" if cloud else ""
        line += " 0 1000 290 0.98 0.96" if surface else ""
        lines.append(line)
    return "\n".join(lines) + "\n"


def observation_text(geometry):
    rays = {"limb": [(800, 0, 0, z, 0, 27) for z in (8, 15, 30)], "nadir": [(800, 0, 0, 0, 0, 2)],
            "zenith": [(1, 0, 0, 60, 0, 0.5)]}[geometry]
    lines = ["# time, observer, view point, tangent point, radiances, transmittances"]
    for n, ray in enumerate(rays):
        masked = "nan" if geometry == "limb" and n == 1 else "0"
        lines.append("0 " + " ".join(map(str, ray)) + f" 0 0 0 {masked} 0 0 0")
    return "\n".join(lines) + "\n"


def write_case(folder, layout="scatter", geometry="limb", cloud=False, surface=False, program=None, **keys):
    write_tables(folder / "tables", layout, program)
    write_continua(folder / "continua")
    if layout == "text":
        keys["TBLFMT"] = "1"
    if cloud:
        keys.update({"NCL": "2", "CLNU[0]": "700", "CLNU[1]": "2400"})
    if surface:
        keys.update({"NSF": "2", "SFNU[0]": "700", "SFNU[1]": "2400"})
    (folder / "case.ctl").write_text(control_text(**keys))
    (folder / "atm.tab").write_text(atmosphere_text(cloud, surface))
    (folder / "obs.tab").write_text(observation_text(geometry))
    (folder / "fov.tab").write_text("-1 0.2\n0 1\n1 0.2\n")


CASE = ["--control", "case.ctl", "--atmosphere", "atm.tab", "--observation", "obs.tab", "--continua", "continua"]


# --- boxes for Monte Carlo ---------------------------------------------------------------------------------------


def write_box(path, spectrum=None, faces=False):
    with h5py.File(path, "w") as file:
        put(file, "x", np.array([0.0, 0.1, 0.3, 0.6, 1.0]), "m")
        put(file, "y", np.linspace(0, 0.5, 4), "m")
        put(file, "z", np.linspace(0, 0.5, 3), "m")
        put(file, "temperature", 600 + 50.0 * np.arange(24).reshape(4, 3, 2) / 24, "K")
        put(file, "mole_fraction", np.full((4, 3, 2), 0.4), "1")
        put(file, "pressure", 101325.0, "Pa")
        for side in ("x_low", "x_high", "y_low", "y_high", "z_low", "z_high"):
            group = file.create_group("boundaries/" + side)
            group.attrs["type"] = "periodic" if side[0] == "z" else "wall"
            if side[0] == "z":
                continue
            group.attrs["emissivity"] = 0.8
            if faces and side[0] == "x":
                put(group, "temperature", np.full((3, 2), 550.0), "K")
            else:
                group.attrs["temperature"] = 500.0
        if spectrum:
            file.attrs["spectrum"] = spectrum


def write_spectrum(path):
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "a gas made by formula"
        left = np.array([500.0, 1500.0, 3000.0])
        right = np.array([1500.0, 3000.0, 5000.0])
        for name, values in (("band_left", left), ("band_right", right), ("band_centre", (left + right) / 2),
                             ("band_width", right - left)):
            put(file, name, values, "cm-1")
        put(file, "temperature", np.array([300.0, 600.0, 900.0, 1200.0]), "K")
        x, w = np.polynomial.legendre.leggauss(4)
        put(file, "g", (x + 1) / 2)
        put(file, "w", w / 2)
        put(file, "k", np.outer(np.ones(12), np.geomspace(0.01, 30, 4)).reshape(3, 4, 4), "m-1")


# --- all of them -------------------------------------------------------------------------------------------------

REAL = [["--real", "float"], ["--real", "double"]]


def make_seeds(folder, program):
    """Writes all seeds below `folder`; `program(arguments, folder)` runs the program, which must succeed."""
    seeds = []
    folder.mkdir(parents=True, exist_ok=True)
    coefficients = folder / "RRTMG_LW_DATA"
    write_coefficients(coefficients)

    def add(kind, name, command, targets, outputs, options=()):
        here = folder / kind / name
        here.mkdir(parents=True)
        seeds.append(Seed(kind, name, command, targets, outputs, list(options), here))
        return here

    fluxes = ["fluxes", "in.nc", "-o", "out.nc", "--quiet"]
    rrtmg = fluxes + ["--coefficients", str(coefficients)]
    simple = fluxes + ["--gas-optics", "simple"]
    rrtmg_options = REAL + [["--derivative"], ["--bands"], ["--transmittance", "table"], ["--extra-layer"], ["--clip"],
                            ["--chunk", "2"], ["--devices", "1"]]
    hdf5 = {"in.nc": "hdf5"}
    for name, command, arguments in (
            ("simple", simple, {}), ("simple_top_first", simple, {"top_first": True, "pascal": True, "places": True}),
            ("gases", rrtmg, {"places": True}), ("aerosol", rrtmg, {"aerosol": True, "top_first": True}),
            ("layer_clouds", rrtmg, {"clouds": "layers"}),
            ("exponential", rrtmg, {"clouds": "layers", "pascal": True, "places": True, "top_first": True}),
            ("gpoint_clouds", rrtmg, {"clouds": "gpoints"})):
        options = REAL + [["--extra-layer"]] if command is simple else rrtmg_options
        if name == "layer_clouds":
            options = options + [["--overlap", "maximum"], ["--seed", "7"], ["--ice-optics", "streamer"]]
        if name == "exponential":
            options = options + [["--decorrelation-length", "latitude", "--day", "100"]]
        write_columns(add("columns", name, command, hdf5, ["out.nc"], options) / "in.nc", **arguments)
    for name, command in (("simple", simple), ("rrtmg", rrtmg)):
        options = REAL + [["--experiment", "2"]]
        write_rfmip(add("rfmip", name, command, hdf5, ["out.nc"], options) / "in.nc")

    for name, arguments, options in (
            ("clear", {}, []), ("layers", {"phase": "layers", "sun": True}, []), ("types", {"phase": "types"}, []),
            ("sensitivities", {"phase": "layers", "sensitivities": True}, ["--tangent", "--adjoint"]),
            ("clear_sensitivities", {"sensitivities": True}, ["--tangent", "--adjoint"])):
        here = add("adding", name, ["adding", "in.h5", "-o", "out.nc", "--quiet"] + options, {"in.h5": "hdf5"},
                   ["out.nc"], REAL + [["--levels"], ["--adjoint"], ["--strategy", "sweep"], ["--chunk", "2"],
                                       ["--strategy", "team-scan"], ["--group", "a"]])
        with h5py.File(here / "in.h5", "w") as file:
            add_group(file, "a", **arguments)
            if name == "clear":
                add_group(file, "b", nlay=7, nangle=3, phase="types", sun=True)

    text = {"case.ctl": "control", "atm.tab": "text", "obs.tab": "text"}
    for name, arguments, more in (
            ("limb", {}, {"tables/box_792.0000.filt": "text"}), ("nadir", {"geometry": "nadir", "surface": True}, {}),
            ("zenith", {"geometry": "zenith", "layout": "reference"}, {"tables/box_792.0000_CO2.bin": "binary"}),
            ("text", {"layout": "text", "FORMOD": "0"}, {"tables/box_2350.0000_H2O.tab": "text"}),
            ("hdf5", {"layout": "hdf5", "program": program}, {"tables/box.h5": "hdf5"}),
            ("cloud", {"cloud": True, "WRITE_BBT": "1", "HYDZ": "10"}, {"continua/ctmh2o.txt": "text"}),
            ("field_of_view", {"FOV": "fov.tab"}, {"fov.tab": "text"}),
            ("continua", {"geometry": "nadir"},
             {f"continua/ctm{each}.txt": "text" for each in ("co2", "h2o", "h2o_xfcrev", "n2")})):
        targets = {**text, **more}
        options = REAL + [["--kernel", "kernel.tab"], ["--kernel", "kernel.tab", "--jacobian", "analytic"],
                          ["--los", "los.tab"], ["--table-slopes", "float"], ["--digits", "17"], ["--chunk", "1"],
                          ["--allow-missing-tables"]]
        output = "rad.tab" if name in ("limb", "cloud", "text") else "rad.nc"
        here = add("ega", name, ["ega"] + CASE + ["-o", output, "--quiet"], targets, [output], options)
        write_case(here, **arguments)

    if program(["retrieve", "--help"], folder, may_fail=True):
        for name, arguments in (("limb", {}), ("nadir", {"geometry": "nadir", "surface": True})):
            command = ["retrieve"] + CASE + ["--noise", "1", "-o", "out.nc", "--quiet"]
            command[command.index("obs.tab")] = "measured.tab"
            targets = {"case.ctl": "control", "atm.tab": "text", "measured.tab": "text"}
            here = add("retrieve", name, command, targets, ["out.nc"],
                       REAL + [["--prior-error", "t=5,10"], ["--prior-error", "H2O=50%,5"]])
            write_case(here, **arguments)
            program(["ega"] + CASE + ["-o", "measured.tab", "--quiet"], here)

    for layout, suffix in (("text", "tab"), ("scatter", "bin"), ("reference", "bin"), ("hdf5", "h5")):
        table = f"box_792.0000_CO2.{suffix}"
        kind = {"text": "text", "hdf5": "hdf5"}.get(layout, "binary")
        for to in ("text", "scatter", "reference", "hdf5"):
            command = ["tables", "convert", table, "--to", to, "-o", "out", "--quiet"]
            if layout == "hdf5":
                command = ["tables", "convert", "one.h5", "--to", to, "-o", "out", "--quiet"]
            here = add("tables", f"{layout}_{to}", command, {command[2]: kind}, ["out"],
                       [["--gas", "CO2", "--wavenumber", "792"]])
            write_tables(here, "scatter" if layout == "hdf5" else layout, program)
            if layout == "hdf5":
                program(["tables", "convert", "box_792.0000_CO2.bin", "--to", "hdf5", "-o", "one.h5", "--quiet"], here)
        here = add("tables", f"{layout}_info", ["tables", "info", "box.h5" if layout == "hdf5" else table],
                   {"box.h5" if layout == "hdf5" else table: kind}, [])
        write_tables(here, layout, program)
        here = add("tables", f"{layout}_pack",
                   ["tables", "pack", "--base", "box", "--gases", "CO2,H2O", "--channels", "792,2350", "-o", "out.h5",
                    "--quiet"], {"box.h5" if layout == "hdf5" else table: kind}, ["out.h5"],
                   [["--allow-missing-tables"]])
        write_tables(here, layout, program)

    for real in (4, 8):
        command = fluxes + ["--coefficients", "coefficients"]
        here = add("coefficients", f"real{real}", command, {"coefficients": "binary"}, ["out.nc"], REAL)
        write_columns(here / "in.nc")
        write_coefficients(here / "coefficients", real)

    few = ["--rays", "8", "--repetitions", "2", "--quiet"]
    box = ["monte-carlo", "in.h5", "-o", "out.nc"] + few
    options = REAL + [["--sampling", each] for each in ("random", "stratified", "sobol")] + [
        ["--directions", "independent"], ["--directions", "shared"], ["--launch", "volume"], ["--grids", "1"], ["--coarse", "mean"], ["--no-walls"],
        ["--reconstruction", "constant"], ["--absorbed", "0.5,0.4"], ["--order", "table"]]
    for name, spectrum, arguments in (("grey", ["--spectrum", "grey:1"], {}), ("wsgg", ["--spectrum", "wsgg"], {}),
                                      ("named", [], {"spectrum": "grey, 1 m-1", "faces": True})):
        write_box(add("box", name, box + spectrum, {"in.h5": "hdf5"}, ["out.nc"], options) / "in.h5", **arguments)
    # Without files: there is nothing to spoil but the command line.
    add("plain", "case", ["monte-carlo", "--case", "case02", "--cells", "4,2,2", "-o", "out.nc"] + few, {}, ["out.nc"])
    add("plain", "synthetic", ["tables", "synthetic", "--gases", "CO2", "--channels", "700", "--to", "text", "-o",
                               "out.tab", "--quiet"], {}, ["out.tab"])
    here = add("plain", "summary", ["fluxes", "in.nc", "--gas-optics", "simple"], {"in.nc": "hdf5"}, [])
    write_columns(here / "in.nc")
    here = add("spectrum", "table", box + ["--spectrum", "gas.h5"], {"gas.h5": "hdf5"}, ["out.nc"], options)
    write_box(here / "in.h5")
    write_spectrum(here / "gas.h5")
    command = ["monte-carlo", "in.h5", "-o", "out.nc", "--spectrum", "grey:1", "--quiet", "--rays", "16",
               "--repetitions", "4", "--resume", "begun.h5"]
    here = add("checkpoint", "resume", command, {"begun.h5": "hdf5"}, ["out.nc"])
    write_box(here / "in.h5")
    program(box + ["--spectrum", "grey:1", "--checkpoint", "begun.h5"], here)
    (here / "out.nc").unlink()
    return seeds
