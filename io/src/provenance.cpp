// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/provenance.hpp>

#include <utility>

namespace parhelion::io {

Attributes global_attributes(Provenance const& provenance, std::string const& vertical_order) {
  Attributes attributes{{"Conventions", "CF-1.10"}};
  for (auto const& [name, value] : {std::pair{"title", provenance.title}, std::pair{"history", provenance.history},
                                    std::pair{"source", provenance.source}})
    if (!value.empty()) attributes.emplace_back(name, value);
  if (!vertical_order.empty()) attributes.emplace_back("vertical_order", vertical_order);
  attributes.insert(attributes.end(), provenance.others.begin(), provenance.others.end());
  return attributes;
}

}  // namespace parhelion::io
