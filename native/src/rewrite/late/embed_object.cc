// SPDX-License-Identifier: Apache-2.0
// IREE's static mode writes the compiled code into an object file, and only its
// name into the module. The pass puts the object in place of the name. The
// module is then whole, and no linker has run: object_loader.h loads the
// object.
#include "base/status.h"
#include "rewrite/late/passes.h"

namespace iree_pjrt {

bool EmbedObject(const Ir& ir, const std::function<std::string()>& object) {
  constexpr std::string_view kData = "data";
  bool found = false;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "hal.executable.binary") continue;
    // The compiler writes all objects to one path: of several, only the last
    // would be left.
    if (std::exchange(found, true)) ThrowInternal("several compiled objects");
    const std::string bytes = object();
    const auto size = static_cast<int64_t>(bytes.size());
    const MlirType type = ir.api.mlirVectorTypeGet(
        1, &size, ir.api.mlirIntegerTypeGet(ir.context, 8));
    ir.SetAttribute(op, kData,
                    ir.api.mlirDenseElementsAttrRawBufferGet(type, bytes.size(),
                                                             bytes.data()));
  }
  return found;
}

}  // namespace iree_pjrt
