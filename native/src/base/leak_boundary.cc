// SPDX-License-Identifier: Apache-2.0
#include "base/leak_boundary.h"

#if defined(IREE_PJRT_ASAN) && defined(__x86_64__)

asm(R"(
  .pushsection .text
  .globl iree_pjrt_call_without_frame
  .hidden iree_pjrt_call_without_frame
  .type iree_pjrt_call_without_frame, @function
iree_pjrt_call_without_frame:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  xorl %ebp, %ebp
  movq %rdi, %rax
  movq %rsi, %rdi
  call *%rax
  popq %rbp
  .cfi_restore %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size iree_pjrt_call_without_frame, . - iree_pjrt_call_without_frame
  .popsection
)");

#endif
