// SPDX-License-Identifier: Apache-2.0
#include "mlir/output_aliases.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/status.h"

namespace iree_pjrt {
namespace {

// The number after the character at `at` and blanks; -1 if there is none.
int64_t NumberAfter(const std::string& text, size_t at) {
  if (at >= text.size()) return -1;
  for (++at; at < text.size() && text[at] == ' ';) ++at;
  int64_t number = -1;
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

}  // namespace

// <outputTupleIndices = [1], operandIndex = 0, operandTupleIndices = []>, in
// StableHLO with underscores; a call with one result has no tuple index.
std::vector<int64_t> ReadAliases(const Ir& ir, MlirOperation op,
                                 size_t operands, size_t results) {
  std::vector<int64_t> aliases(results, -1);
  const MlirAttribute given = ir.Attribute(op, "output_operand_aliases");
  if (!given.ptr) return aliases;
  const std::string text = ir.Print(given);
  for (size_t at = 0; (at = text.find("<output", at)) != std::string::npos;
       ++at) {
    const size_t open = text.find('[', at);
    const size_t equals = text.find('=', text.find(']', open));
    const int64_t result = std::max<int64_t>(NumberAfter(text, open), 0);
    const int64_t operand = NumberAfter(text, equals);
    if (operand < 0 || operand >= static_cast<int64_t>(operands) ||
        result >= static_cast<int64_t>(results)) {
      ThrowInvalidArgument("a custom call with a wrong alias: " + text);
    }
    aliases[static_cast<size_t>(result)] = operand;
  }
  return aliases;
}

}  // namespace iree_pjrt
