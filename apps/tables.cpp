// SPDX-License-Identifier: BSD-3-Clause
#include "choices.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"

#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/jurassic_control.hpp>
#include <parhelion/io/provenance.hpp>
#include <parhelion/io/synthetic_tables.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::Apps {

namespace {

struct Arguments {
  std::string input;
  std::string output;
  io::TableFormat format = io::TableFormat::hdf5;
  std::string gas;
  double wavenumber = 0;
  std::string control;
  std::string base;
  std::string folder;
  std::vector<std::string> gases;
  std::vector<double> channels;
  bool missing = false;
  CommonOptions common;
};

Choices<io::TableFormat> const formats{{"text", io::TableFormat::text},
                                       {"scatter", io::TableFormat::scatter_binary},
                                       {"reference", io::TableFormat::reference_binary},
                                       {"hdf5", io::TableFormat::hdf5}};

std::string made_by() { return fmt::format("parhelion {}", PARHELION_VERSION); }

// Gas and channel from the name of a file, BASE_NU_GAS.SUFFIX; empty if the name has another form.
io::TableLabel label_in(std::string const& path) {
  auto const name = std::filesystem::path(path).stem().string();
  auto const last = name.rfind('_');
  if (last == std::string::npos || last == 0) return {};
  auto const before = name.rfind('_', last - 1);
  auto const number = name.substr(before + 1, last - before - 1);  // npos + 1 is 0
  io::TableLabel label{name.substr(last + 1), 0};
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), label.wavenumber);
  return error == std::errc() && end == number.data() + number.size() && label.wavenumber > 0 ? label
                                                                                              : io::TableLabel();
}

// Gas and channel of a table: from the command line, else from the file, else from its name.
io::TableLabel label_of(Arguments const& arguments, io::TableFormat format) {
  if (arguments.gas.empty() != (arguments.wavenumber == 0))
    throw CLI::ValidationError("--gas", "is only allowed together with --wavenumber, and vice versa");
  if (!arguments.gas.empty()) return {arguments.gas, arguments.wavenumber};
  if (format != io::TableFormat::hdf5) return label_in(arguments.input);
  io::PackedTables const packed(arguments.input);
  bool const single = packed.gases().size() == 1 && packed.wavenumbers().size() == 1;
  return single ? io::TableLabel{packed.gases().front(), packed.wavenumbers().front()} : io::TableLabel();
}

std::string summary(ega::EmissivityTable const& table) {
  auto const [low, high] = std::minmax_element(table.temperature.begin(), table.temperature.end());
  auto const [least, most] = std::minmax_element(table.column_density.begin(), table.column_density.end());
  auto const [thin, thick] = std::minmax_element(table.emissivity.begin(), table.emissivity.end());
  return fmt::format(
      "{} pressures {:.6g} to {:.6g} hPa, {} curves {:.6g} to {:.6g} K, {} points {:.6g} to {:.6g} cm-2, emissivity "
      "{:.6g} to {:.6g}",
      table.npressure(), table.pressure_hPa.front(), table.pressure_hPa.back(), table.ncurve(), *low, *high,
      table.npoint(), *least, *most, *thin, *thick);
}

void print_left_out(std::size_t count) {
  if (count > 0)
    fmt::print("  {} points with columns above 1e30 cm-2 or emissivities outside 0 to 1 left out\n", count);
}

void convert(Arguments const& arguments, std::string const& command_line) {
  io::check_writable(arguments.output, arguments.input);
  auto const from = io::recognise_table(arguments.input);
  auto const label = label_of(arguments, from);
  std::size_t left_out = 0;
  auto const table = io::read_table(arguments.input, label, &left_out);
  auto const note = fmt::format("{}, converted by {}", arguments.input, made_by());
  auto const to = arguments.format;
  if (to == io::TableFormat::hdf5 && !label.empty()) {
    io::Provenance provenance{.title = note, .source = made_by(), .history = history(command_line), .others = {}};
    io::carry_on(provenance, arguments.input);
    io::pack_tables(
        arguments.output, {label.gas}, {label.wavenumber}, [&](int, int) { return table; },
        io::global_attributes(provenance, ""));
  } else {
    io::write_table(arguments.output, table, to, label, note);
  }
  if (arguments.common.quiet) return;
  fmt::print("{}: {}, {}\n", arguments.input, io::name_of(from), summary(table));
  print_left_out(left_out);
  fmt::print("  written to {}\n", arguments.output);
}

// Packs tables into one file and counts them.
void pack_into(Arguments const& arguments, std::vector<std::string> const& gases,
               std::vector<double> const& wavenumbers, ega::TableProvider const& tables, std::string const& title,
               std::string const& command_line, std::string const& packed_before = {}) {
  std::size_t count = 0, points = 0;
  auto const all = static_cast<int>(gases.size() * wavenumbers.size());
  auto const show = progress(arguments.common.quiet, "tables");
  int done = 0;
  auto const counted = [&](int gas, int channel) {
    auto table = tables(gas, channel);
    if (show) show(++done, all);
    count += table.empty() ? 0 : 1;
    points += table.npoint();
    return table;
  };
  io::Provenance provenance{.title = title, .source = made_by(), .history = history(command_line), .others = {}};
  if (!packed_before.empty()) io::carry_on(provenance, packed_before);
  io::pack_tables(arguments.output, gases, wavenumbers, counted, io::global_attributes(provenance, ""));
  if (!arguments.common.quiet)
    fmt::print("{}: {} tables of {} gases in {} channels, {} points\n", arguments.output, count, gases.size(),
               wavenumbers.size(), points);
}

void pack(Arguments const& arguments, std::string const& command_line) {
  bool const listed = !arguments.base.empty() && !arguments.gases.empty() && !arguments.channels.empty();
  bool const none = arguments.base.empty() && arguments.gases.empty() && arguments.channels.empty();
  if (arguments.control.empty() ? !listed : !none)
    throw CLI::ValidationError("pack", "needs either --control or --base, --gases and --channels");
  io::TableSource source{.base = arguments.base, .folder = arguments.folder, .missing_allowed = arguments.missing};
  auto gases = arguments.gases;
  auto channels = arguments.channels;
  if (!arguments.control.empty()) {
    auto const control = io::read_jurassic_control(arguments.control);
    gases = control.gases;
    channels = control.channels.wavenumber;
    source.base = io::resolve_path(control, control.table_base);
    source.first = control.table_format == 1 ? io::TableFormat::text : io::TableFormat::reference_binary;
  }
  io::TableFiles const files(source, gases, channels);
  std::vector<std::string> inputs{arguments.control};
  for (int gas = 0; gas < static_cast<int>(gases.size()); ++gas)
    for (int channel = 0; channel < static_cast<int>(channels.size()); ++channel)
      inputs.push_back(files.find(gas, channel));
  io::check_files(inputs, {arguments.output});
  pack_into(arguments, gases, channels, files, fmt::format("Emissivity tables {}", source.base), command_line,
            source.base + ".h5");
}

void synthetic(Arguments const& arguments, std::string const& command_line) {
  auto const table = [&](int gas, int channel) {
    return io::synthetic_table(io::synthetic_band(gas, arguments.channels[static_cast<std::size_t>(channel)]));
  };
  std::string const title = "SYNTHETIC emissivity tables of a statistical band model: not spectroscopy of these gases";
  auto const format = arguments.format;
  if (format == io::TableFormat::hdf5)
    return pack_into(arguments, arguments.gases, arguments.channels, table, title, command_line);
  if (arguments.gases.size() != 1 || arguments.channels.size() != 1)
    throw CLI::ValidationError("--to", "only the format hdf5 can hold several tables in one file");
  io::write_table(arguments.output, table(0, 0), format, {arguments.gases.front(), arguments.channels.front()}, title);
  if (!arguments.common.quiet) fmt::print("{}: {}\n", arguments.output, summary(table(0, 0)));
}

void print_packed(std::string const& path) {
  io::PackedTables const packed(path);
  fmt::print("{}: hdf5, {} gases in {} channels\n", path, packed.gases().size(), packed.wavenumbers().size());
  auto const title = io::Hdf5File(path).text_attribute("", "title");
  if (title) fmt::print("  {}\n", *title);
  for (std::size_t channel = 0; channel < packed.wavenumbers().size(); ++channel)
    for (std::size_t gas = 0; gas < packed.gases().size(); ++gas) {
      auto const table = packed.read(static_cast<int>(gas), static_cast<int>(channel));
      fmt::print("  {:10.4f} {:<8} {}\n", packed.wavenumbers()[channel], packed.gases()[gas],
                 table.empty() ? "none" : summary(table));
    }
}

void info(Arguments const& arguments) {
  auto const format = io::recognise_table(arguments.input);
  if (format == io::TableFormat::hdf5) return print_packed(arguments.input);
  std::size_t left_out = 0;
  auto const table = io::read_table(arguments.input, {}, &left_out);
  fmt::print("{}: {}\n  {}\n", arguments.input, io::name_of(format), summary(table));
  print_left_out(left_out);
}

void add_output(CLI::App& command, Arguments& arguments, char const* type) {
  command.add_option("-o,--output", arguments.output, "file to write")->required()->type_name(type);
  add_quiet_option(command, arguments.common);
}

// Files and messages have four decimals of a wavenumber. Nothing is thermal beyond the other end: at 400 K, the highest
// temperature of the model, Planck's function is below 1e-150 there.
CLI::Validator wavenumber_check() {
  return number_check("WAVENUMBER", "a wavenumber from 0.0001 to 100000 cm-1",
                      [](double nu) { return nu >= 1e-4 && nu <= 1e5; });
}

CLI::Option* add_lists(CLI::App& command, Arguments& arguments) {
  command.add_option("--gases", arguments.gases, "names of gases")->delimiter(',')->type_name("A,B,...");
  return command.add_option("--channels", arguments.channels, "wavenumbers of channels [cm-1]")
      ->delimiter(',')
      ->check(wavenumber_check())
      ->type_name("NU,NU,...");
}

}  // namespace

Command add_tables(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& tables = *program.add_subcommand("tables", "Converts, packs, makes and shows tables of emissivities");
  tables.require_subcommand(1);

  auto& convert_command = *tables.add_subcommand("convert", "Writes a table in another format");
  convert_command.add_option("table", arguments->input, "file of one table, of any format")
      ->required()
      ->type_name("TABLE");
  add_choice<io::TableFormat, io::TableFormat>(convert_command, "--to", arguments->format, formats, "format")
      ->required();
  convert_command.add_option("--gas", arguments->gas, "gas of the table; by default taken from the file or its name")
      ->type_name("NAME");
  convert_command.add_option("--wavenumber", arguments->wavenumber, "channel of the table [cm-1], with --gas")
      ->check(wavenumber_check())
      ->type_name("NU");
  add_output(convert_command, *arguments, "OUT");

  auto& pack_command = *tables.add_subcommand("pack", "Writes many tables into one HDF5 file that loads fast");
  pack_command.add_option("--control", arguments->control, "control file that names tables, gases and channels")
      ->type_name("CASE.ctl");
  pack_command.add_option("--base", arguments->base, "beginning of the names of table files, before _NU_GAS")
      ->type_name("BASE");
  add_lists(pack_command, *arguments);
  pack_command.add_option("--tables", arguments->folder, "folder of the tables, by default that of their names")
      ->type_name("FOLDER");
  pack_command.add_flag("--allow-missing-tables", arguments->missing, "leave out gases without a table");
  add_output(pack_command, *arguments, "OUT.h5");

  auto& synthetic_command = *tables.add_subcommand("synthetic", "Makes SYNTHETIC tables by a statistical band model");
  add_lists(synthetic_command, *arguments)->required();
  synthetic_command.get_option("--gases")->required();
  add_choice(synthetic_command, "--to", arguments->format, formats, "format; only hdf5 can hold several tables");
  add_output(synthetic_command, *arguments, "OUT");

  auto& info_command = *tables.add_subcommand("info", "Shows what a file of tables holds");
  info_command.add_option("table", arguments->input, "file of any format")->required()->type_name("TABLE");

  tables.footer(footer({"parhelion tables synthetic --gases CO2,H2O --channels 667.5,690 -o tables.h5",
                        "parhelion tables info tables.h5"}));
  return {"tables", std::shared_ptr<CommonOptions const>(arguments, &arguments->common),
          [&tables, arguments](std::string const& command_line) {
            if (tables.got_subcommand("convert")) convert(*arguments, command_line);
            if (tables.got_subcommand("pack")) pack(*arguments, command_line);
            if (tables.got_subcommand("synthetic")) synthetic(*arguments, command_line);
            if (tables.got_subcommand("info")) info(*arguments);
            return exit_success;
          }};
}

}  // namespace parhelion::Apps
