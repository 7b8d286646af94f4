// SPDX-License-Identifier: Apache-2.0
// iree-pjrt-compiled LIBRARY SOCKET PARENT: compiles programs for the process
// PARENT, which has the other end of the socket (a descriptor), with the code
// of the plugin's library. Started by the plugin (compile/helper_process.h).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr,
            "usage: %s LIBRARY SOCKET PARENT\n"
            "The PJRT plugin of IREE starts this program, which compiles for "
            "it; it is of no use by hand.\n",
            argv[0]);
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s: %s\n", argv[0], dlerror());
    return 1;
  }
  void (*serve)(int, int) =
      (void (*)(int, int))dlsym(library, "IreePjrtServeCompiler");
  if (!serve) {
    fprintf(stderr, "%s: %s\n", argv[0], dlerror());
    return 1;
  }
  serve(atoi(argv[2]), atoi(argv[3]));
  return 0;
}
