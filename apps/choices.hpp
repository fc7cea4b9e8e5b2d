// SPDX-License-Identifier: BSD-3-Clause
// Options whose value is one of a few words, each of which stands for a value of an enumeration.
#ifndef PARHELION_APPS_CHOICES_HPP
#define PARHELION_APPS_CHOICES_HPP

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace parhelion::Apps {

/// The words of an option and their values, in the order in which --help lists them.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// \brief The choices of an enumeration whose values are consecutive.
/// \param names in the order of the values
/// \param first value of the first name
template <class Value>
Choices<Value> choices_of(std::vector<std::string> const& names, Value first = Value{}) {
  Choices<Value> choices;
  int value = static_cast<int>(first);
  for (auto const& name : names) choices.emplace_back(name, static_cast<Value>(value++));
  return choices;
}

/// The word for a value.
template <class Value>
std::string word_of(Choices<Value> const& choices, Value value) {
  for (auto const& [word, each] : choices)
    if (each == value) return word;
  return {};
}

/// \brief Adds an option whose value is one of `choices`. Only the words are accepted, and --help lists them in braces.
/// \param value an enumeration or an optional one; lives as long as the command
template <class Variable, class Value>
CLI::Option* add_choice(CLI::App& command, std::string const& name, Variable& value, Choices<Value> const& choices,
                        std::string const& description) {
  std::vector<std::string> words;
  for (auto const& [word, each] : choices) words.push_back(word);
  CLI::CheckedTransformer to_value(choices);
  return command.add_option(name, value, description)
      ->transform(to_value.description(""))
      ->transform(CLI::IsMember(words))  // CLI11 runs it first: messages and --help then show words, not numbers
      ->type_name("TEXT");
}

/// The same with a default value, which --help shows.
template <class Value>
CLI::Option* add_choice(CLI::App& command, std::string const& name, Value& value, Choices<Value> const& choices,
                        std::string const& description) {
  return add_choice<Value, Value>(command, name, value, choices, description)->default_str(word_of(choices, value));
}

}  // namespace parhelion::Apps

#endif
