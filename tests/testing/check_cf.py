#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks results against the CF conventions and prints what is wrong, a line each.

    check_cf.py [FILE...]

The exit status is 1 where something is wrong. Without files it says whether what it needs is there: the Python modules
netCDF4 and xarray, and the library of UDUNITS.
"""
import ctypes
import sys

import netCDF4
import numpy
import xarray

# Standard names that results have, of the table of the CF conventions, and their canonical units.
STANDARD_NAMES = {
    "air_pressure": "Pa",
    "altitude": "m",
    "brightness_temperature": "K",
    "direct_downwelling_shortwave_flux_in_air": "W m-2",
    "downwelling_longwave_flux_in_air": "W m-2",
    "downwelling_longwave_flux_in_air_assuming_clear_sky": "W m-2",
    "downwelling_shortwave_flux_in_air": "W m-2",
    "downwelling_shortwave_flux_in_air_assuming_clear_sky": "W m-2",
    "latitude": "degree_north",
    "longitude": "degree_east",
    "net_upward_longwave_flux_in_air": "W m-2",
    "net_upward_longwave_flux_in_air_assuming_clear_sky": "W m-2",
    "net_upward_shortwave_flux_in_air": "W m-2",
    "net_upward_shortwave_flux_in_air_assuming_clear_sky": "W m-2",
    "sensor_band_central_radiation_wavenumber": "m-1",
    "tendency_of_air_temperature_due_to_longwave_heating": "K s-1",
    "tendency_of_air_temperature_due_to_longwave_heating_assuming_clear_sky": "K s-1",
    "tendency_of_air_temperature_due_to_radiative_heating": "K s-1",
    "tendency_of_air_temperature_due_to_shortwave_heating": "K s-1",
    "tendency_of_air_temperature_due_to_shortwave_heating_assuming_clear_sky": "K s-1",
    "time": "seconds since 2000-01-01",
    "upwelling_longwave_flux_in_air": "W m-2",
    "upwelling_longwave_flux_in_air_assuming_clear_sky": "W m-2",
    "upwelling_shortwave_flux_in_air": "W m-2",
    "upwelling_shortwave_flux_in_air_assuming_clear_sky": "W m-2",
}

# Attributes that are numbers wherever they stand.
NUMBERS = {"rays", "repetitions", "seed", "grids", "steps", "tolerance", "emissivity", "temperature", "target_error",
           "reached_error"}


class Units:
    """What of UDUNITS is needed here."""

    UTF8 = 2

    def __init__(self):
        self.library = ctypes.CDLL("libudunits2.so.0")
        for name, arguments in (("ut_read_xml", [ctypes.c_char_p]),
                                ("ut_parse", [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]),
                                ("ut_get_status", []), ("ut_are_convertible", [ctypes.c_void_p, ctypes.c_void_p])):
            function = getattr(self.library, name)
            function.argtypes = arguments
            function.restype = ctypes.c_void_p if name in ("ut_read_xml", "ut_parse") else ctypes.c_int
        self.library.ut_set_error_message_handler.argtypes = [ctypes.c_void_p]
        self.library.ut_set_error_message_handler.restype = ctypes.c_void_p
        self.library.ut_set_error_message_handler(ctypes.cast(self.library.ut_ignore, ctypes.c_void_p))
        self.system = self.library.ut_read_xml(None)
        if not self.system:
            raise RuntimeError("UDUNITS has no units")

    def parse(self, text):
        return self.library.ut_parse(self.system, text.encode(), self.UTF8)

    def are_convertible(self, a, b):
        return self.library.ut_are_convertible(self.parse(a), self.parse(b)) != 0


def find(group, name, kind):
    """A variable or dimension as a group sees it: its own, or that of a group around it."""
    while group is not None:
        if name in getattr(group, kind):
            return getattr(group, kind)[name]
        group = group.parent
    return None



def check_variable(units, group, name, variable):
    attributes = {key: variable.getncattr(key) for key in variable.ncattrs()}
    if not attributes.get("long_name"):
        yield "no long_name"
    unit = attributes.get("units")
    if unit is not None and not units.parse(unit):
        yield f"units '{unit}' are none of UDUNITS"
    real = variable.dtype is not str and numpy.issubdtype(variable.dtype, numpy.floating)
    if real and unit is None and "unit" not in attributes.get("comment", ""):
        yield "real numbers without units, and no comment on them"
    standard = attributes.get("standard_name")
    if standard is not None:
        if standard not in STANDARD_NAMES:
            yield f"standard_name {standard} is not in the list"
        elif unit is None or not units.are_convertible(unit, STANDARD_NAMES[standard]):
            yield f"units '{unit}' do not go with standard_name {standard}"
    for place in attributes.get("coordinates", "").split():
        found = find(group, place, "variables")
        if found is None:
            yield f"coordinates name {place}, which is not there"
        elif not set(found.dimensions) <= set(variable.dimensions):
            yield f"coordinate {place} has dimensions {found.dimensions}, not of {variable.dimensions}"
    if "bounds" in attributes:
        bounds = find(group, attributes["bounds"], "variables")
        if bounds is None:
            yield f"bounds {attributes['bounds']} are not there"
        elif bounds.dimensions[:-1] != variable.dimensions or bounds.shape[-1] != 2:
            yield f"bounds have dimensions {bounds.dimensions}"
        elif not numpy.all((bounds[..., 0] < variable[:]) & (variable[:] < bounds[..., 1])):
            yield "a value is not between its bounds"
    for dimension in variable.dimensions:
        if find(group, dimension, "dimensions") is None:
            yield f"dimension {dimension} is not there"


def check_attributes(owner):
    for key in owner.ncattrs():
        value = owner.getncattr(key)
        if key in NUMBERS and isinstance(value, str):
            yield f"attribute {key} is the text '{value}', expected a number"
        if isinstance(value, str):
            value.encode("utf-8")  # no stray bytes


def check_with_xarray(path, group):
    """What xarray makes of a group: all values, and the coordinates that variables name."""
    with xarray.open_dataset(path, group=group.path) as data:
        data.load()
        for name, variable in group.variables.items():
            if name not in data.variables:
                yield f"{name}: xarray does not see it"
            for place in getattr(variable, "coordinates", "").split():
                if place in group.variables and place not in data[name].coords:
                    yield f"{name}: xarray does not know {place} as its coordinate"


def check_group(units, path, group):
    where = group.path.rstrip("/")
    for problem in check_attributes(group):
        yield f"{where or 'file'}: {problem}"
    for name, variable in group.variables.items():
        for problem in (*check_variable(units, group, name, variable), *check_attributes(variable)):
            yield f"{where}/{name}: {problem}"
    for problem in check_with_xarray(path, group):
        yield f"{where}/{problem}"
    for inner in group.groups.values():
        yield from check_group(units, path, inner)


def main():
    units = Units()
    status = 0
    for path in sys.argv[1:]:
        with netCDF4.Dataset(path) as data:
            problems = list(check_group(units, path, data))
            if not getattr(data, "Conventions", "").startswith("CF-"):
                problems.append("no attribute Conventions that names CF")
        for problem in problems:
            print(f"{path}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
