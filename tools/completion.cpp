#include "completion.h"

#include <iterator>
#include <set>
#include <string_view>

#include <lanewise/autograd/registry.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/tensor/dtype.h>

#include "bench/case.h"

namespace lanewise::tools {
namespace {

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string options_of(const CLI::App& app) {
  std::set<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.insert("--" + name);
  }
  return joined(words);
}

/// A branch for each option that takes one of a few words, whatever the command.
std::string words_of_options() {
  std::set<std::string> dtypes, isas;
  for (int i = 0; i < kNumScalarTypes; ++i) dtypes.insert(short_name(static_cast<ScalarType>(i)));
  for (const Isa isa : available_isas()) isas.insert(name(isa));
  const std::set<std::string> layouts(std::begin(kLayouts), std::end(kLayouts));
  return "    --layout) words=\"" + joined(layouts) + "\" ;;\n    --dtype) words=\"" + joined(dtypes) +
         "\" ;;\n    --isa | --tiers) words=\"" + joined(isas) +
         "\" ;;\n    --sort) words=\"bytes count name self total\" ;;\n";
}

std::string ops() {
  std::set<std::string> names;
  for (const Schema& schema : registry()) {
    if (!schema.is_inplace && !schema.is_out) names.insert(std::string(schema.name));
  }
  return joined(names);
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string commands, branches;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    const std::string name = command->get_name();
    commands += name + " ";
    branches += "    " + name + ") words=\"" + options_of(*command) + "\" ;;\n";
  }
  return "# Completion of lanewise for bash:  source <(lanewise --bash-completion)\n"
         "_lanewise() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  case $before in\n" +
         words_of_options() +
         "  esac\n"
         "  if [ -z \"$words\" ]; then case $COMP_CWORD:${COMP_WORDS[1]}:$word in\n"
         "    1:*) words=\"" +
         commands + options_of(app) +
         "\" ;;\n"
         "    *:bench:[a-z_]* | *:explain:[a-z_]*) words=\"" +
         ops() +
         "\" ;;\n"
         "    *) case ${COMP_WORDS[1]} in\n" +
         branches +
         "    esac ;;\n"
         "  esac; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _lanewise lanewise\n";
}

}  // namespace lanewise::tools
