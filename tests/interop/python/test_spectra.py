#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Infrared spectra: the bits of the program for a limb scan by formula, gases by name, and what is refused."""
import numpy
import parhelion
from python_testing import PROGRAM, Case, main, make, needs_program, program, scratch, h5py


def limb(test):
    """A folder with a limb scan, whose pressures are as the file has them."""
    folder = scratch(test)
    make("analytic_limb.py", folder)
    program("tables", "synthetic", "--gases", "CO2,O3", "--channels", "670,676,694,700,716,724,730,734,742,748",
            "-o", "tables.h5", cwd=folder)
    control = folder / "case.ctl"
    text = control.read_text(encoding="utf-8")
    control.write_text(text.replace("HYDZ = 30", "HYDZ = -999"), encoding="utf-8")
    return folder


def table(path):
    return numpy.loadtxt(path, ndmin=2)


def arguments_of(folder):
    atmosphere, observation = table(folder / "atm.tab"), table(folder / "obs.tab")
    return {
        "altitude": atmosphere[:, 1] * 1e3, "pressure": atmosphere[:, 4] * 100., "temperature": atmosphere[:, 5],
        "mole_fraction": {"CO2": atmosphere[:, 6], "O3": atmosphere[:, 7]},
        "observer_altitude": observation[:, 1] * 1e3, "observer_longitude": observation[:, 2],
        "observer_latitude": observation[:, 3], "view_point_altitude": observation[:, 4] * 1e3,
        "view_point_longitude": observation[:, 5], "view_point_latitude": observation[:, 6],
    }


@needs_program
class Spectra(Case):
    @classmethod
    def setUpClass(cls):
        cls.addCleanup = cls.addClassCleanup
        cls.folder = limb(cls) if PROGRAM else None

    def test_same_as_program(self):
        program("ega", "--control", "case.ctl", "--atmosphere", "atm.tab", "--observation", "obs.tab", "-o", "out.nc",
                cwd=self.folder)
        found = parhelion.spectra(control=self.folder / "case.ctl", **arguments_of(self.folder))
        with h5py.File(self.folder / "out.nc") as file:
            for name in ("radiance", "transmittance", "tangent_altitude", "tangent_longitude", "tangent_latitude"):
                self.assert_same(found[name], file[name][:], name)
        self.assertEqual((found.npoint.dtype, found.npoint.shape), ("int32", (25,)))
        self.assertGreater(found.npoint.min(), 10)

    def test_object_knows_gases_and_channels(self):
        arguments = arguments_of(self.folder)
        with parhelion.Spectra(control=self.folder / "case.ctl") as solver:
            self.assertEqual(solver.gases, ["CO2", "O3"])
            self.assertEqual(solver.wavenumbers[:2], [670., 676.])
            found = solver.solve(**arguments)
            fractions = numpy.stack(list(arguments["mole_fraction"].values()))
            again = solver.solve(**{**arguments, "mole_fraction": fractions}, results=("radiance",))
            self.assert_same(again.radiance, found.radiance)
            alone = solver.solve(**arguments, results="transmittance")
            self.assertEqual(list(alone), ["transmittance"])
            self.assert_same(alone.transmittance, found.transmittance)
            one = solver.solve(**{**arguments, **{name: value[7] for name, value in arguments.items()
                                                  if name.startswith(("observer", "view"))}})
            self.assert_same(one.radiance, found.radiance[7])
            self.assertEqual(one.npoint.shape, ())

    def test_several_profiles(self):
        arguments = arguments_of(self.folder)
        found = parhelion.spectra(control=self.folder / "case.ctl", **arguments)
        both = {name: numpy.stack([value, value + (5. if name == "temperature" else 0.)])
                for name, value in arguments.items() if name in ("altitude", "pressure", "temperature")}
        of_rays = numpy.arange(25, dtype="int32") % 2
        mixed = parhelion.spectra(control=self.folder / "case.ctl", **{**arguments, **both}, profile=of_rays)
        self.assert_same(mixed.radiance[::2], found.radiance[::2])
        self.assertTrue(numpy.all(mixed.radiance[1::2] != found.radiance[1::2]))

    def test_types_of_gases(self):
        def solve(**gases):
            arguments = arguments_of(self.folder)
            return parhelion.spectra(control=self.folder / "case.ctl",
                                     **{**arguments, "mole_fraction": {**arguments["mole_fraction"], **gases}})

        def refuse(kind, expression, value):
            self.assert_raises(kind, f"^mole_fraction: {expression}", solve, CO2=value)
        values = numpy.full(36, 4e-4)
        self.assert_same(solve(CO2=4e-4).radiance, solve(CO2=values).radiance)
        self.assert_same(solve(CO2=numpy.ma.masked_array(values)).radiance, solve(CO2=values).radiance)
        refuse(ValueError, "CO2: has 1 masked values, expected an array without a mask",
               numpy.ma.masked_array(values, numpy.arange(36) == 3))
        for dtype in ("float16", "int32", "bool", ">f8"):
            refuse(TypeError, f"CO2: has entries of type {dtype}, expected float32 or float64", values.astype(dtype))
        refuse(TypeError, "CO2: is <class 'list'>, expected a number or an array of NumPy", values.tolist())
        refuse(TypeError, "CO2: is <class 'bool'>, expected a number or an array of NumPy", True)
        refuse(ValueError, "O3 has another type than CO2, expected the same", values.astype("float32"))
        refuse(ValueError, "lacks CO2, expected all of CO2, O3", None)

    def test_refusals(self):
        control, arguments = self.folder / "case.ctl", arguments_of(self.folder)

        def refuse(kind, expression, **changes):
            self.assert_raises(kind, expression, parhelion.spectra, **{"control": control, **arguments, **changes})
        refuse(FileNotFoundError, "no_such.ctl", control=self.folder / "no_such.ctl")
        refuse(ValueError, "control", control=None)
        refuse(ValueError, "mole_fraction: lacks O3", mole_fraction={"CO2": 4e-4})
        refuse(TypeError, "mole_fraction has no gas 'o3'; did you mean 'O3'", mole_fraction={"CO2": 4e-4, "o3": 1e-6})
        refuse(ValueError, "temperature", temperature=numpy.full(5, 280.))
        refuse(ValueError, "profile", profile=numpy.full(25, 3, "int32"))
        refuse(TypeError, "profile: has entries of type int64", profile=numpy.zeros(25, "int64"))


if __name__ == "__main__":
    main()
