// SPDX-License-Identifier: Apache-2.0
#include "pjrt/layouts.h"

#include <memory>

#include "base/row_major.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/executable.h"

struct PJRT_Layouts_SerializedLayout {
  std::string bytes;
};

namespace iree_pjrt {
namespace {

PJRT_Layouts_MemoryLayout* NewDefaultLayout(PJRT_Buffer_Type type,
                                            const int64_t* dims,
                                            size_t num_dims) {
  MakeShape(type, dims, num_dims);
  return ToC(new MemoryLayout{RowMajorText(num_dims)});
}

}  // namespace

void MemoryLayoutDestroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  delete Take(args.layout);
}

void MemoryLayoutSerialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  args.serialized_layout =
      new PJRT_Layouts_SerializedLayout{FromC(args.layout, "layout").text};
  args.serialized_bytes = args.serialized_layout->bytes.data();
  args.serialized_bytes_size = args.serialized_layout->bytes.size();
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* layout) {
    delete layout;
  };
}

void ClientGetDefaultLayout(
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  FromC(args.client, "client");
  args.layout = NewDefaultLayout(args.type, args.dims, args.num_dims);
}

void TopologyGetDefaultLayout(
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  FromC(args.topology_description, "topology_description");
  args.layout = NewDefaultLayout(args.type, args.dims, args.num_dims);
}

void BufferMemoryLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  const Shape& shape = FromC(args.buffer, "buffer").shape();
  args.layout = ToC(new MemoryLayout{RowMajorText(shape.dims.size())});
}

void ExecutableGetOutputLayouts(
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  const auto& layouts = FromC(args.executable, "executable").output_layouts();
  args.num_outputs = layouts.size();
  args.layouts = const_cast<PJRT_Layouts_MemoryLayout**>(
      reinterpret_cast<PJRT_Layouts_MemoryLayout* const*>(layouts.data()));
}

}  // namespace iree_pjrt
