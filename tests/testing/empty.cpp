// SPDX-License-Identifier: BSD-3-Clause
// Nothing: a target of precompiled headers alone needs a source.
