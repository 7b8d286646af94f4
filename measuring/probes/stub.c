// SPDX-License-Identifier: Apache-2.0
// A plugin that can do nothing: enough for a framework to load it and to say both API versions.
#include <stddef.h>

#define CALLS 128 // as many as API 0.90 has

typedef struct {
  size_t struct_size;
  void *extension_start;
  int major_version;
  int minor_version;
} Version;

typedef struct {
  size_t struct_size;
  void *extension_start;
  Version pjrt_api_version;
  void *(*calls[CALLS])(void *args);
} Api;

static void *succeed(void *args) {
  (void)args;
  return NULL;
}

__attribute__((visibility("default"))) const void *GetPjrtApi(void) {
  static Api api;
  api.struct_size = sizeof(api);
  api.pjrt_api_version.struct_size = sizeof(api.pjrt_api_version);
  api.pjrt_api_version.minor_version = 90;
  for (int i = 0; i < CALLS; ++i) api.calls[i] = succeed;
  return &api;
}
