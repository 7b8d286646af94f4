// SPDX-License-Identifier: Apache-2.0
// Donation: an execution may take over the buffers of some of its arguments.
// The framework's handle is deleted at once. Programs are compiled to write
// into donated inputs where IREE finds that useful, so at run time a donated
// input that anybody else can still see is replaced by a copy. Plain functions,
// no state.
#ifndef IREE_PJRT_LAUNCH_DONATION_H_
#define IREE_PJRT_LAUNCH_DONATION_H_

#include <memory>
#include <vector>

#include "launch/launch_inputs.h"
#include "pjrt/buffer.h"
#include "program/program.h"

namespace iree_pjrt {

// For each input whether this execution takes it over: what all devices may
// donate. Throws INVALID_ARGUMENT if a donated buffer is passed more than once.
std::vector<bool> DonatedInputs(const Program& program,
                                const PJRT_ExecuteOptions& options,
                                const LaunchArguments& arguments);

// The buffer to pass for `data`, an input that the program may write into and
// whose bytes are ready. `donated` says whether this execution owns it.
HalBuffer WritableInput(Client& client,
                        const std::shared_ptr<const BufferData>& data,
                        bool donated);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_LAUNCH_DONATION_H_
