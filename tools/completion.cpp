#include "completion.h"

#include <iterator>
#include <set>
#include <string>
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

std::string bash_completion(const CommandLine& line) {
  std::string own, commands, branches;
  for (const CommandLine::Words& words : line.words()) {
    if (words.command.empty()) {
      own = joined(words.options);
    } else {
      commands += words.command + " ";
      branches += "    " + words.command + ") words=\"" + joined(words.options) + "\" ;;\n";
    }
  }
  return "# Completion of lanewise for bash:  source <(lanewise --bash-completion)\n"
         "_lanewise() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  case $before in\n" +
         words_of_options() +
         "  esac\n"
         "  if [ -z \"$words\" ]; then case $COMP_CWORD:${COMP_WORDS[1]}:$word in\n"
         "    1:*) words=\"" +
         commands + own +
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
