// The command line that both programs share: words, and options --name=value.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/engine.hpp>

#include "engine.hpp"

namespace pipelines {

class Arguments {
 public:
  // Ends the program when --help is asked for, or on an option that is not in `known` ("--name=").
  Arguments(int argc, char** argv, const char* usage, const std::vector<std::string>& known) : usage_(usage) {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument == "--help") {
        std::fputs(usage, stdout);
        std::exit(0);
      }
      if (argument.rfind("--", 0) == 0) options_.push_back(argument);
      else words_.push_back(argument);
    }
    for (const std::string& option : options_) {
      bool is_known = false;
      for (const std::string& name : known) is_known |= option.rfind(name, 0) == 0;
      if (!is_known) wrong("unknown option " + option);
    }
  }

  const std::vector<std::string>& words() const { return words_; }
  std::string text(const std::string& name, const std::string& otherwise) const {
    for (const std::string& option : options_) {
      if (option.rfind(name, 0) == 0) return option.substr(name.size());
    }
    return otherwise;
  }
  long number(const std::string& name, long least, long most, long otherwise) const {
    const std::string given = text(name, std::to_string(otherwise));
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(given.c_str(), &end, 10);
    const bool is_number = *end == '\0' && !given.empty() && errno == 0;
    if (!is_number || value < least || value > most) wrong(name + given + " is out of range");
    return value;
  }
  int replicas() const { return static_cast<int>(number("--replicas=", 1, kMostReplicas, 2)); }
  Engine engine() const {
    const auto engine = engine_of(text("--engine=", "spaces"));
    if (!engine) wrong("there is no such engine");
    return *engine;
  }
  [[noreturn]] void wrong(const std::string& what) const {
    std::fprintf(stderr, "%s\n%s", what.c_str(), usage_);
    std::exit(2);
  }

 private:
  static constexpr long kMostReplicas = 50;  // three stages of them, and a space for each (../pipelines.py)
  const char* usage_;
  std::vector<std::string> words_, options_;
};

// First in main, where spaces are used: the program may be executed again.
inline void set_up_spaces(Engine engine) {
  if (engine == Engine::kSpaces) dmr::init();
}

}  // namespace pipelines
