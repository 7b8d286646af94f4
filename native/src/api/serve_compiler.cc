// SPDX-License-Identifier: Apache-2.0
// What native/helper/main.c calls in a helper process.
#include "compile/helper_process.h"

extern "C" __attribute__((visibility("default"))) void IreePjrtServeCompiler(
    int socket, int parent) {
  iree_pjrt::ServeTasks(socket, parent);
}
