// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/provenance.hpp>

#include "input_file.hpp"

#include <string>
#include <utility>

namespace parhelion::io {

void carry_on(Provenance& provenance, std::string const& path) {
  if (!begins_as_hdf5(path)) return;
  Hdf5File const file(path);
  auto const add = [](std::string& to, std::string const& text) {
    if (text.empty() || to.find(text) != std::string::npos) return;
    to += (to.empty() ? "" : "\n") + text;
  };
  add(provenance.history, file.text_attribute("", "history").value_or(""));
  for (char const* const name : {"license", "licence", "License", "Licence"})
    add(provenance.license, file.text_attribute("", name).value_or(""));
}

Attributes global_attributes(Provenance const& provenance, std::string const& vertical_order) {
  Attributes attributes{{"Conventions", "CF-1.10"}};
  for (auto const& [name, value] : {std::pair{"title", provenance.title}, std::pair{"history", provenance.history},
                                    std::pair{"source", provenance.source}, std::pair{"license", provenance.license}})
    if (!value.empty()) attributes.emplace_back(name, value);
  if (!vertical_order.empty()) attributes.emplace_back("vertical_order", vertical_order);
  attributes.insert(attributes.end(), provenance.others.begin(), provenance.others.end());
  return attributes;
}

}  // namespace parhelion::io
