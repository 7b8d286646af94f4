// SPDX-License-Identifier: Apache-2.0
// What the devices of one launch pass as arguments, gathered to the inputs of
// its program. Plain values and functions; one thread at a time.
#ifndef IREE_PJRT_LAUNCH_LAUNCH_INPUTS_H_
#define IREE_PJRT_LAUNCH_LAUNCH_INPUTS_H_

#include <memory>
#include <span>
#include <vector>

#include "pjrt/buffer.h"
#include "program/program.h"

namespace iree_pjrt {

// As the framework hands them over: a list for each device of the launch, in
// the order of the program's.
struct LaunchArguments {
  std::span<Device* const> devices;
  PJRT_Buffer* const* const* lists;
  // The number of arguments of each device.
  size_t count;
};

struct LaunchInputs {
  // One for each input of the program.
  std::vector<std::shared_ptr<const BufferData>> data;
  // For each whether this launch owns it.
  std::vector<bool> donated;
  // Arguments that are not passed, because another device passes the same
  // input. If one of them fails, so does the launch.
  std::vector<std::shared_ptr<Completion>> unread;

  bool AllReady() const;
  // Waits for all; the error of one that failed, or null.
  Completion::Outcome Await() const;
};

// Throws INVALID_ARGUMENT for arguments that the program does not take.
LaunchInputs GatherInputs(const Program& program,
                          const PJRT_ExecuteOptions& options,
                          const LaunchArguments& arguments);

// Donated arguments are gone for the framework from now on, on all devices.
void DeleteDonated(const Program& program, const LaunchInputs& inputs,
                   const LaunchArguments& arguments);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_LAUNCH_LAUNCH_INPUTS_H_
