# SPDX-License-Identifier: BSD-3-Clause
"""Changes that spoil a file or a command line. Each returns what it did, in words, or nothing where it cannot apply."""
import os
import struct

import h5py
import numpy as np

NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0, 2.0, 0.5, 1e-320, 1e-30, 1e9, 1e18, 1e30, -1e30, 1e300,
           -1e300, 2.0**31, 2.0**63, 9.969209968386869e36, -999.0, 95.0, 361.0)
FACTORS = (-1.0, 0.001, 0.01, 0.05, 20.0, 100.0, 1000.0, 1e-9, 1e9, 1 + 1e-9)
TEXTS = (b"", b"\xff\xfe\x80", "Grüße".encode(), b"\n", b"line one\nline two", b" ", b"nan", b"-1", b"x" * 100000,
         b"\x00hidden", b"a\x00b", "\u202e".encode(), b"\x1b[31m", b"%s%n{}", b"../../etc")
UNITS = (b"", b"Pa", b"hPa", b"mbar", b"kPa", b"K", b"degC", b"ppmv", b"1.e-6", b"1e400", b"nan", b"-1", b"0", b"m",
         b"cm-1", b"um", b"kg m-2") + TEXTS
NAMES = ("x", "plev", "tlay", "cldfrac", "ciwp", "cldfmcl", "tauaer", "icld", "idrv", "inflglw", "lat", "lon", "covmr",
         "column_label", "pres_level", "profile_weight", "od", "ssa", "pff", "pff_types", "type", "cos_sun", "weight",
         "temperature", "mole_fraction", "pressure", "k", "g", "w", "sum", "planned", "repetitions", "gas_name",
         "table_grid", "boundaries", "fingerprint", "a", "tl_in", "ad_in")


def number(rng, old=1.0):
    pick = rng.random()
    if pick < 0.5:
        return rng.choice(NUMBERS)
    if pick < 0.8:
        return float(old) * rng.choice(FACTORS)
    return float(old) + rng.choice((-273.15, 273.15, 1e-6, -1e-6, 1.0, -1.0, 1000.0))


# --- HDF5 --------------------------------------------------------------------------------------------------------


def objects(file, kind):
    found = []

    def visit(name, thing):
        if isinstance(thing, kind):
            found.append(name)

    file.visititems(visit)
    return sorted(found)


def a_dataset(file, rng, numeric=True):
    names = [name for name in objects(file, h5py.Dataset) if not numeric or file[name].dtype.kind in "iuf"]
    return file[rng.choice(names)] if names else None


def replace(dataset, data=None, **how):
    """Makes the dataset anew, its attributes kept. Returns the new one."""
    parent, name, attributes = dataset.parent, dataset.name, {}
    for key in dataset.attrs:
        try:
            attributes[key] = dataset.attrs[key]
        except Exception:  # an attribute that h5py cannot read is lost
            pass
    del parent[name]
    new = parent.file.create_dataset(name, data=data, **how)
    for key, value in attributes.items():
        if key not in ("DIMENSION_LIST", "REFERENCE_LIST"):
            new.attrs[key] = value
    return new


def change_values(file, rng):
    dataset = a_dataset(file, rng)
    if dataset is None or dataset.shape is None:
        return None
    values = np.array(dataset[()])
    if values.size == 0:
        return None
    flat = values.reshape(-1)
    how = rng.choice(("one", "one", "one", "all", "row", "column", "scaled", "scaled", "scaled", "shifted",
                      "shifted", "reversed", "shuffled", "same", "neighbour"))
    with np.errstate(all="ignore"):
        if how == "one":
            at = rng.randrange(flat.size)
            flat[at] = value = number(rng, flat[at])
            how = f"[{at}] = {value}"
        elif how == "all":
            flat[:] = value = number(rng, flat[0])
            how = f"[:] = {value}"
        elif how in ("row", "column"):
            axis = 0 if how == "row" else values.ndim - 1
            if values.ndim:
                at = [slice(None)] * values.ndim
                at[axis] = rng.randrange(values.shape[axis])
                values[tuple(at)] = value = number(rng, flat[0])
                how = f"one {how} = {value}"
        elif how == "scaled":
            factor = rng.choice(FACTORS)
            flat[:] = flat * factor
            how = f"times {factor}"
        elif how == "shifted":
            by = rng.choice((-273.15, 273.15, -1.0, 1.0, 1e-3, -200.0, 200.0))
            flat[:] = flat + by
            how = f"plus {by}"
        elif how == "reversed" and values.ndim:
            values = np.flip(values, rng.randrange(values.ndim))
        elif how == "shuffled":
            order = list(range(flat.size))
            rng.shuffle(order)
            values = flat[order].reshape(values.shape)
        elif how == "same":
            flat[:] = flat[rng.randrange(flat.size)]
        elif how == "neighbour" and flat.size > 1:
            at = rng.randrange(1, flat.size)
            flat[at] = flat[at - 1]
        if dataset.dtype.kind in "iu" and values.dtype.kind == "f":
            values = np.nan_to_num(values)
        dataset[()] = values.astype(dataset.dtype)
    return f"{dataset.name} {how}"


def change_shape(file, rng):
    dataset = a_dataset(file, rng)
    if dataset is None or dataset.shape is None:
        return None
    name, values = dataset.name, np.array(dataset[()])
    how = rng.choice(("transposed", "shorter", "longer", "extra dimension", "trailing dimension", "flat", "scalar",
                      "empty", "null", "first only", "doubled", "unlimited", "giant", "giant", "giant contiguous",
                      "giant chunk", "many dimensions", "never written", "partly written"))
    options = {}
    if how == "transposed":
        values = values.T
    elif how == "shorter" and values.ndim:
        values = np.delete(values, -1, rng.randrange(values.ndim))
    elif how == "longer" and values.ndim:
        axis = rng.randrange(values.ndim)
        values = np.concatenate([values, np.take(values, [-1], axis)], axis)
    elif how == "extra dimension":
        values = values[None]
    elif how == "trailing dimension":
        values = values[..., None]
    elif how == "flat":
        values = values.reshape(-1)
    elif how == "scalar":
        values = values.reshape(-1)[0] if values.size else 0.0
    elif how == "empty" and values.ndim:
        values = np.take(values, [], rng.randrange(values.ndim))
    elif how == "null":
        values = h5py.Empty(dataset.dtype)
    elif how == "first only" and values.ndim:
        values = values[:1]
    elif how == "doubled" and values.ndim:
        values = np.concatenate([values, values])
    elif how == "unlimited" and values.ndim and values.size:
        options = {"maxshape": (None,) * values.ndim, "chunks": True}
    elif how == "many dimensions":
        values = values.reshape(values.shape + (1,) * (rng.choice((8, 20, 32)) - values.ndim))
    elif how.startswith("giant") or how.endswith("written"):
        shape = list(values.shape) or [1]
        if how.startswith("giant"):
            shape[rng.randrange(len(shape))] = rng.choice((10**6, 10**8, 10**9, 2**31, 2**33, 2**61))
        attributes = dict(dataset.attrs)
        del file[name]
        contiguous = how in ("giant contiguous", "never written")
        chunk = tuple(min(each, 1000) for each in shape)
        if how == "giant chunk":
            chunk = tuple(min(each, 10**6) for each in shape)
        if not contiguous and np.prod(chunk, dtype=float) > 2e6:
            return None
        new = file.create_dataset(name, tuple(shape), values.dtype, chunks=None if contiguous else chunk,
                                  compression=None if contiguous else "gzip", fillvalue=None if contiguous else 1)
        if not contiguous:
            new[tuple(slice(0, min(each, 2)) for each in shape)] = values.reshape(-1)[0]
        for key, value in attributes.items():
            new.attrs[key] = value
        return f"{name} {how} {tuple(shape)}"
    replace(dataset, values, **options)
    return f"{name} {how}"


def change_type(file, rng):
    dataset = a_dataset(file, rng)
    if dataset is None or dataset.shape is None:
        return None
    name, values = dataset.name, np.array(dataset[()])
    kinds = ("i1", "u1", "i2", ">i4", "u4", "i8", "u8", "f2", ">f4", ">f8", "g", "c16", "?", "S8", "string", "vlen",
             "compound", "opaque", "reference", "enum", "array", "non-UTF-8 text")
    how = rng.choice(kinds)
    with np.errstate(all="ignore"):
        if how in ("c16", "?", "g", "S8") or how[-1].isdigit():
            new = np.nan_to_num(values).astype(how)
            replace(dataset, new)
        elif how == "string":
            replace(dataset, values.astype("S").astype(object), dtype=h5py.string_dtype())
        elif how == "non-UTF-8 text":
            new = replace(dataset, np.full(values.shape, b"\xff\xfe", dtype=object), dtype=h5py.string_dtype())
        elif how == "vlen":
            new = replace(dataset, dtype=h5py.vlen_dtype("f8"), shape=values.shape)
            if values.size and values.ndim:
                new[(0,) * values.ndim] = [1.0, 2.0]
        elif how == "compound":
            new = np.zeros(values.shape, [("a", "f8"), ("b", "i4")])
            new["a"] = values
            replace(dataset, new)
        elif how == "opaque":
            replace(dataset, np.zeros(values.shape, "V8"))
        elif how == "reference":
            replace(dataset, dtype=h5py.ref_dtype, shape=values.shape)
        elif how == "enum":
            replace(dataset, np.zeros(values.shape, "i4"), dtype=h5py.enum_dtype({"one": 1, "two": 2}, "i4"))
        elif how == "array":
            replace(dataset, dtype=np.dtype(("f8", (3,))), shape=values.shape)
    return f"{name} of type {how}"


def change_links(file, rng):
    names = objects(file, (h5py.Dataset, h5py.Group))
    if not names:
        return None
    name = rng.choice(names)
    how = rng.choice(("missing", "renamed", "other name", "capitals", "external", "external to itself", "dangling",
                      "to itself", "circle", "group in circle", "moved", "group instead", "type instead",
                      "of another", "copy", "raw file", "missing raw file"))
    thing = file[name]
    if how == "missing":
        del file[name]
    elif how in ("renamed", "other name", "capitals"):
        to = {"renamed": name + "_", "capitals": name.upper()}.get(how) or rng.choice(NAMES)
        if to in file:
            return None
        file.move(name, to)
    elif how.startswith("external"):
        del file[name]
        target = "no_such_file.h5" if how == "external" else os.path.basename(file.filename)
        file[name] = h5py.ExternalLink(target, "/" + name)
    elif how == "dangling":
        del file[name]
        file[name] = h5py.SoftLink("/no/such/thing")
    elif how == "to itself":
        del file[name]
        file[name] = h5py.SoftLink("/" + name)
    elif how == "circle":
        del file[name]
        file[name] = h5py.SoftLink("/round")
        file["round"] = h5py.SoftLink("/" + name)
    elif how == "group in circle":
        group = thing if isinstance(thing, h5py.Group) else thing.parent
        group["round"] = file["/"]
    elif how == "moved":
        file.move(name, "inner/" + name)
    elif how == "group instead":
        del file[name]
        file.create_group(name)
    elif how == "type instead":
        del file[name]
        file[name] = np.dtype("f8")
    elif how == "of another":
        other = rng.choice(names)
        if other == name or other.startswith(name + "/"):
            return None
        del file[name]
        file[name] = file[other]
    elif how == "copy":
        to = rng.choice(NAMES)
        if to in file:
            return None
        file.copy(name, to)
    elif how.endswith("raw file"):
        if not isinstance(thing, h5py.Dataset) or thing.dtype.kind not in "iuf" or not thing.size:
            return None
        raw = "data.raw" if how == "raw file" else "no_such.raw"
        data, attributes = thing[()], dict(thing.attrs)
        if how == "raw file":
            with open(os.path.join(os.path.dirname(file.filename), raw), "wb") as out:
                out.write(np.ascontiguousarray(data).tobytes())
        del file[name]
        new = file.create_dataset(name, np.shape(data), thing_dtype(data), external=[(raw, 0, h5py.h5f.UNLIMITED)])
        for key, value in attributes.items():
            new.attrs[key] = value
    return f"{name} {how}"


def thing_dtype(data):
    return np.asarray(data).dtype


def change_attributes(file, rng):
    names = objects(file, (h5py.Dataset, h5py.Group))
    name = rng.choice(names + ["/"])
    thing = file[name]
    how = rng.choice(("units", "units", "units", "no units", "units of another kind", "fill", "packed", "role", "flag",
                      "text", "text", "all removed", "boundary", "many"))
    attributes = thing.attrs
    if how == "units":
        value = rng.choice(UNITS)
        attributes["units"] = np.bytes_(value) if value else h5py.Empty("S1")
        how = f"units = {value[:20]!r}"
    elif how == "no units":
        if "units" not in attributes:
            return None
        del attributes["units"]
    elif how == "units of another kind":
        attributes["units"] = rng.choice((1.0, np.array([b"K", b"K"]), np.zeros((2, 2)), h5py.Empty("f8"),
                                          np.array([], "S1"), "K" * 3, np.bytes_(b"K\x00\x00")))
    elif how == "fill":
        if not isinstance(thing, h5py.Dataset) or thing.dtype.kind not in "iuf" or not thing.size:
            return None
        value = np.asarray(thing[()]).reshape(-1)[0]
        key = rng.choice(("_FillValue", "missing_value", "valid_range"))
        attributes[key] = rng.choice((value, np.array([value, value]), np.float32(value), -999, "none", np.nan))
    elif how == "packed":
        attributes[rng.choice(("scale_factor", "add_offset"))] = rng.choice((2.0, 1, "two", np.array([1.0, 2.0])))
    elif how == "role":
        file.attrs["role"] = "input"
        attributes["role"] = rng.choice(("input", b"\xff", 3))
    elif how == "flag":
        key = rng.choice(("icld", "idrv", "inflglw", "iceflglw", "liqflglw", "pressure"))
        file.attrs[key] = value = rng.choice((0, 1, 2, 3, 4, 5, 6, -1, 1.5, np.nan, "1", 2**40, np.array([1, 2]), np.inf))
        how = f"{key} = {value}"
    elif how == "text":
        key = rng.choice(list(attributes) or ["title"]) if rng.random() < 0.7 else rng.choice(
            ("title", "spectrum", "layout", "history", "source", "type", "units"))
        value = rng.choice(TEXTS)
        if len(value) > 60000:
            value = value[:60000]
        attributes[key] = np.bytes_(value) if value else h5py.Empty("S1")
        how = f"{key} = {value[:20]!r}"
    elif how == "all removed":
        for key in list(attributes):
            del attributes[key]
    elif how == "boundary":
        key = rng.choice(("type", "emissivity", "temperature", "pressure", "spectrum"))
        attributes[key] = value = rng.choice(("wall", "periodic", "", "grey, -1 m-1", "grey, nan m-1", "grey, 1e400 m-1",
                                              -1.0, 2.0, np.nan, np.inf, 1e30, 0.0, 1e-300, np.array([1.0, 2.0])))
        how = f"{key} = {value}"
    elif how == "many":
        for n in range(100):
            attributes[f"a{n}"] = n
    return f"{name}: {how}"


def change_text(file, rng):
    names = [name for name in objects(file, h5py.Dataset) if h5py.check_string_dtype(file[name].dtype)]
    if not names:
        return None
    dataset = file[rng.choice(names)]
    name, length = dataset.name, max(1, dataset.size or 1)
    how = rng.choice(("other", "other", "fixed", "characters", "ascii", "numbers", "never written", "same"))
    values = [rng.choice(TEXTS).replace(b"\x00", b"") for _ in range(length)]
    if how == "other":
        at = rng.randrange(length)
        values = [each if n == at else b"label %d" % n for n, each in enumerate(values)]
        replace(dataset, np.array(values, dtype=object), dtype=h5py.string_dtype())
        how = f"{values[at][:20]!r}"
    elif how == "fixed":
        replace(dataset, np.array([each[:40] or b" " for each in values], "S40"))
    elif how == "characters":
        letters = np.array([[bytes([byte]) for byte in each[:8].ljust(8, b"\x00")] for each in values], "S1")
        replace(dataset, letters)
    elif how == "ascii":
        replace(dataset, np.array(values, dtype=object), dtype=h5py.string_dtype("ascii"))
    elif how == "numbers":
        replace(dataset, np.arange(length))
    elif how == "never written":
        replace(dataset, shape=(length,), dtype=h5py.string_dtype())
    elif how == "same":
        replace(dataset, np.array([b"CO2"] * length, dtype=object), dtype=h5py.string_dtype())
    return f"text {name} {how}"


def change_storage(file, rng):
    dataset = a_dataset(file, rng)
    if dataset is None or not dataset.shape or not dataset.size:
        return None
    how = rng.choice(("lzf", "gzip", "checksum", "szip", "scaled", "unknown filter", "unknown filter", "compact"))
    values = dataset[()]
    if how == "lzf":
        replace(dataset, values, compression="lzf", chunks=True)
    elif how == "gzip":
        replace(dataset, values, compression="gzip", shuffle=True, chunks=True)
    elif how == "checksum":
        replace(dataset, values, fletcher32=True, chunks=True)
    elif how == "szip":
        replace(dataset, values, compression="szip", chunks=True)
    elif how == "scaled":
        replace(dataset, values, scaleoffset=2, chunks=True)
    else:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        if how == "compact":
            creation.set_layout(h5py.h5d.COMPACT)
        else:
            creation.set_chunk(values.shape)
            creation.set_filter(rng.choice((307, 32001, 32004, 32015)), h5py.h5z.FLAG_OPTIONAL, (1, 2))
        name, attributes = dataset.name, dict(dataset.attrs)
        del file[name]
        new = h5py.Dataset(h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(values.dtype),
                                           h5py.h5s.create_simple(values.shape), creation))
        if how == "compact":
            new[...] = values
        else:
            # The chunk is stored as the filter would have left it.
            new.id.write_direct_chunk((0,) * values.ndim, np.ascontiguousarray(values).tobytes(), 0)
        for key, value in attributes.items():
            new.attrs[key] = value
    return f"{dataset.name if dataset else ''} stored with {how}"


def add_things(file, rng):
    how = rng.choice(("groups", "variable", "group", "text"))
    name = rng.choice(NAMES)
    if how == "groups":
        for n in range(200):
            file.create_group(f"group {n}")
        return "200 groups more"
    if name in file:
        return None
    if how == "variable":
        shape = rng.choice(((), (1,), (3,), (3, 8), (3, 9), (8,), (2, 3, 8), (0,)))
        file[name] = np.full(shape, number(rng))
        file[name].attrs["units"] = rng.choice(("1", "K", "g m-2"))
    elif how == "group":
        file.create_group(name)
    else:
        file[name] = rng.choice(("all", "", "é"))
    return f"{how} {name} more"


HDF5_CHANGES = ((change_values, 8), (change_shape, 4), (change_type, 3), (change_links, 4), (change_attributes, 4),
                (change_text, 2), (change_storage, 2), (add_things, 1))


def change_hdf5(path, rng):
    change = rng.choices([each for each, _ in HDF5_CHANGES], [weight for _, weight in HDF5_CHANGES])[0]
    try:
        with h5py.File(path, "r+") as file:
            return change(file, rng)
    except Exception:  # h5py refuses what would not be HDF5: that change is none
        return None


# --- bytes -------------------------------------------------------------------------------------------------------


def change_bytes(path, rng):
    data = bytearray(path.read_bytes())
    how = rng.choice(("flip", "flip", "flip", "byte", "byte", "truncated", "truncated", "longer", "zeros", "repeated",
                      "moved", "splice", "empty", "word", "word", "real", "real", "other file"))
    size = len(data)
    at = rng.randrange(size) if size else 0
    # Headers and tables are at the beginning, and worth more than their length.
    if size and rng.random() < 0.5:
        at = rng.randrange(min(size, 4096))
    end = min(size, at + rng.choice((1, 4, 8, 64, 512, 4096)))
    if how == "flip":
        for _ in range(rng.choice((1, 1, 2, 8, 50))):
            if size:
                data[rng.randrange(size) if rng.random() < 0.5 else at] ^= 1 << rng.randrange(8)
    elif how == "byte" and size:
        data[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    elif how == "truncated":
        del data[rng.choice((at, size - 1, size // 2, 8, 1, 512)):]
    elif how == "longer":
        data += rng.choice((b"\0" * 100, b"\n", bytes(data[:100]), b"\xff" * 5000))
    elif how == "zeros":
        data[at:end] = bytes(end - at)
    elif how == "repeated":
        data[at:at] = data[at:end]
    elif how == "moved":
        block = data[at:end]
        del data[at:end]
        to = rng.randrange(len(data) + 1)
        data[to:to] = block
    elif how == "splice" and size:
        start = rng.randrange(size)
        data[at:end] = data[start:start + end - at]
    elif how == "empty":
        data = bytearray()
    elif how == "word":
        size_of = rng.choice("bhiq")
        value = rng.choice((0, -1, 1, 2, 100, 2**31 - 1, -2**31, 2**20))
        bits = 8 * struct.calcsize(size_of)
        value = ((value + 2**(bits - 1)) % 2**bits) - 2**(bits - 1)
        word = struct.pack(rng.choice("<>") + size_of, value)
        at -= at % len(word)
        data[at:at + len(word)] = word
    elif how == "real":
        word = struct.pack(rng.choice("<>") + rng.choice("fd"), rng.choice((0.0, np.nan, np.inf, -1.0, 1e30, 1e-30)))
        at -= at % len(word)
        data[at:at + len(word)] = word
    elif how == "other file":
        data = bytearray(rng.choice((b"\x7fELF" + bytes(500), b"\x89PNG\r\n\x1a\n" + bytes(100), b"CDF\x01" + bytes(99),
                                     b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + b"\xff" * 500, b"hello\n",
                                     bytes(rng.randrange(256) for _ in range(300)), b"#" * 10000, b"\n" * 10000)))
    path.write_bytes(data)
    return f"bytes {how} at {at}"


# --- text --------------------------------------------------------------------------------------------------------

WORDS = ("nan", "-nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "1e30", "1e9", "-1", "0", "-0", "1", "2", "0.5",
         "0x10", "abc", "1,5", "1d3", "1e", "1e+", "..", "+", "-", "--1", "1e5e5", "99999999999999999999", "2147483648",
         "-2147483649", "1" * 400, "1e309", "5e-324", "0.0000001", "1/2", "1_000", "٣", "é", "1e300", "-999", "1000000")
CONTROL = ("NG", "EMITTER[0]", "EMITTER[1]", "EMITTER[*]", "ND", "NU[0]", "NU[1]", "NU[*]", "NW", "WINDOW[0]", "WINDOW[*]",
           "NCL", "CLNU[0]", "CLNU[1]", "NSF", "SFNU[0]", "SFNU[1]", "SFTYPE", "SFSZA", "TBLBASE", "TBLFMT", "HYDZ",
           "CTM_CO2", "CTM_H2O", "CTM_N2", "CTM_O2", "REFRAC", "RAYDS", "RAYDZ", "FOV", "RETP_ZMIN", "RETP_ZMAX",
           "RETT_ZMIN", "RETT_ZMAX", "RETQ_ZMIN[0]", "RETQ_ZMAX[1]", "RETK_ZMIN[0]", "RETK_ZMAX[*]", "RET_CLZ",
           "RET_SFT", "WRITE_BBT", "WRITE_MATRIX", "FORMOD", "SCA_MULT", "SCA_N", "ERR_TEMP", "CONV_ITMAX", "NOKEY",
           "NU", "NG[0]", "NU[-1]", "NU[99999999999]", "NU[0", "NU]", "[0]", "", "ERR_ANA", "KERNEL_RECOMP")


def change_words(path, rng, control=False):
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    places = [(i, j) for i, line in enumerate(lines) for j in range(len(line.split())) if not line.startswith("#")]
    how = rng.choice(("word", "word", "word", "number", "number", "number", "column", "column", "column", "column",
                      "column", "column", "column", "delete word", "more words",
                      "delete line", "repeat line", "swap lines", "swap words", "reversed", "sorted", "truncated",
                      "windows", "mac", "no end", "byte order mark", "utf-16", "bytes", "long line", "long",
                      "comments", "blank", "nul"))
    if control and rng.random() < 0.6:
        how = rng.choice(("key", "key", "key", "value", "value", "index"))
    if not places:
        return None
    i, j = rng.choice(places)
    words = lines[i].split()
    said = how
    if how == "word":
        words[j] = rng.choice(WORDS)
        said = f"word ({i}, {j}) = {words[j][:30]}"
    elif how == "number":
        try:
            words[j] = repr(number(rng, float(words[j])))
        except ValueError:
            words[j] = rng.choice(WORDS)
        said = f"number ({i}, {j}) = {words[j][:30]}"
    elif how == "column":
        factor, kind = rng.choice(FACTORS), rng.choice(("times", "word", "deleted", "plus"))
        word, shift = rng.choice(WORDS), rng.choice((-273.15, 273.15, -50.0, 100.0))
        for n, line in enumerate(lines):
            row = line.split()
            if line.startswith("#") or len(row) <= j:
                continue
            try:
                if kind == "times":
                    row[j] = repr(float(row[j]) * factor)
                elif kind == "plus":
                    row[j] = repr(float(row[j]) + shift)
                elif kind == "word":
                    row[j] = word
                else:
                    del row[j]
            except ValueError:
                pass
            lines[n] = " ".join(row)
        words = None
        said = f"column {j} {kind} {factor if kind == 'times' else shift if kind == 'plus' else word[:30]}"
    elif how == "delete word":
        del words[j]
    elif how == "more words":
        words.insert(j, rng.choice(WORDS + tuple(words)))
    elif how == "delete line":
        words = None
        del lines[i]
    elif how == "repeat line":
        words = None
        lines.insert(i, lines[i])
    elif how == "swap lines":
        k = rng.choice(places)[0]
        lines[i], lines[k], words = lines[k], lines[i], None
    elif how == "swap words":
        k = rng.randrange(len(words))
        words[j], words[k] = words[k], words[j]
    elif how in ("reversed", "sorted"):
        lines, words = lines[::-1] if how == "reversed" else sorted(lines), None
    elif how == "value":
        words = words[:2] + [rng.choice(WORDS + ("CO2", "H2O", "-", "tables/", "/", "..", "a b", "fov.tab", "case.ctl"))]
        said = f"line {i}: {' '.join(words)[:40]}"
    elif how == "key":
        key = rng.choice(CONTROL)
        lines.insert(rng.randrange(len(lines) + 1), f"{key} = {rng.choice(WORDS)}")
        words = None
        said = f"new key {key}"
    elif how == "index":
        words[0] = rng.choice(CONTROL)
        said = f"line {i}: key {words[0]}"
    else:
        words = None
    if words is not None:
        lines[i] = " ".join(words)
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    if how == "truncated":
        data = data[:rng.randrange(len(data) + 1)]
    elif how == "windows":
        data = data.replace(b"\n", b"\r\n")
    elif how == "mac":
        data = data.replace(b"\n", b"\r")
    elif how == "no end":
        data = data.rstrip(b"\n")
    elif how == "byte order mark":
        data = b"\xef\xbb\xbf" + data
    elif how == "utf-16":
        data = data.decode("latin-1").encode("utf-16")
    elif how == "bytes":
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice((b"\xff", b"\x00", b"\x80\x81", b"\x1b[2J", b"\x07")) + data[at:]
    elif how == "long line":
        data += b"1 " * 200000 + b"\n"
    elif how == "long":
        data *= 50
    elif how == "comments":
        data = b"# " + data.replace(b"\n", b"\n# ")
    elif how == "blank":
        data = data.replace(b"\n", b"\n\n \t\n")
    elif how == "nul":
        data = data.replace(b" ", b"\x00", 1)
    path.write_bytes(data)
    return f"text {said}"


def change_file(path, kind, rng):
    """Spoils a file of a kind: hdf5, text, control or binary."""
    if kind == "hdf5":
        return change_hdf5(path, rng) if rng.random() < 0.75 else change_bytes(path, rng)
    if kind in ("text", "control"):
        return change_words(path, rng, kind == "control") if rng.random() < 0.85 else change_bytes(path, rng)
    return change_bytes(path, rng)
