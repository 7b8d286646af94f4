// SPDX-License-Identifier: Apache-2.0
#include "launch/launch_inputs.h"

#include <algorithm>
#include <string>

#include "launch/donation.h"
#include "pjrt/device.h"

namespace iree_pjrt {
namespace {

void CheckShape(const Program& program, const Buffer& buffer, size_t argument) {
  const Shape& want = program.argument_shape(argument);
  if (buffer.shape().dims != want.dims || buffer.shape().type != want.type) {
    ThrowInvalidArgument("argument " + std::to_string(argument) +
                         " has another shape or element type than the "
                         "program was compiled for");
  }
}

// A program of one device needs no check: it also reads what lies on another.
void CheckPlace(const Program& program, const Buffer& buffer, size_t argument,
                const LaunchArguments& arguments, size_t at) {
  if (arguments.devices.size() == 1) return;
  const Device& assigned = *arguments.devices[at];
  const Device& actual = buffer.memory().device();
  if (&actual == &assigned) return;
  const auto partitions =
      static_cast<size_t>(program.compile_options.num_partitions);
  ThrowInvalidArgument(
      "Buffer passed to Execute() as argument " + std::to_string(argument) +
      " to replica " + std::to_string(at / partitions) +
      (partitions > 1 ? ", partition " + std::to_string(at % partitions) : "") +
      " is on device " + actual.description().debug_string() +
      ", but replica is assigned to device " +
      assigned.description().debug_string());
}

bool Fine(const Completion& ready) { return ready.done() && !ready.outcome(); }

}  // namespace

bool LaunchInputs::AllReady() const {
  return std::all_of(data.begin(), data.end(),
                     [](const auto& input) { return input->ready->done(); }) &&
         std::all_of(unread.begin(), unread.end(),
                     [](const auto& ready) { return ready->done(); });
}

Completion::Outcome LaunchInputs::Await() const {
  for (const auto& input : data) {
    if (const auto& outcome = input->ready->Await()) return outcome;
  }
  for (const auto& ready : unread) {
    if (const auto& outcome = ready->Await()) return outcome;
  }
  return nullptr;
}

LaunchInputs GatherInputs(const Program& program,
                          const PJRT_ExecuteOptions& options,
                          const LaunchArguments& arguments) {
  if (arguments.count != program.argument_count()) {
    ThrowInvalidArgument(
        "the program takes " + std::to_string(program.argument_count()) +
        " arguments; given are " + std::to_string(arguments.count));
  }
  LaunchInputs inputs;
  inputs.data.resize(program.inputs.size());
  for (size_t device = 0; device < arguments.devices.size(); ++device) {
    for (size_t i = 0; i < arguments.count; ++i) {
      const Buffer& buffer = FromC(arguments.lists[device][i], "argument");
      CheckShape(program, buffer, i);
      CheckPlace(program, buffer, i, arguments, device);
      auto data = buffer.data();
      auto& input = inputs.data[program.input_of(device, i)];
      if (!input) {
        input = std::move(data);
      } else if (data->ready != input->ready && !Fine(*data->ready)) {
        inputs.unread.push_back(data->ready);
      }
    }
  }
  inputs.donated = DonatedInputs(program, options, arguments);
  return inputs;
}

void DeleteDonated(const Program& program, const LaunchInputs& inputs,
                   const LaunchArguments& arguments) {
  for (size_t device = 0; device < arguments.devices.size(); ++device) {
    for (size_t i = 0; i < arguments.count; ++i) {
      if (!inputs.donated[program.input_of(device, i)]) continue;
      FromC(arguments.lists[device][i], "argument").Delete();
    }
  }
}

}  // namespace iree_pjrt
