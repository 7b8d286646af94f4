// SPDX-License-Identifier: Apache-2.0
// Within IREE's stream phase, before each list of passes that
// compile/pass_lists.h names: dispatches become commands over memory.
#ifndef IREE_PJRT_REWRITE_STREAM_PASSES_H_
#define IREE_PJRT_REWRITE_STREAM_PASSES_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// The results of each loop are, one by one, the values that it carries.
void AlignLoops(const Ir& ir);

// Memory ends with the last reference to it, not before.
void DropDeallocations(const Ir& ir);

// Memory is allocated outside of the queue, for each result its own. Comes
// right after IREE decides what to allocate.
void AllocateDirectly(const Ir& ir);

// Views of a part of it are of the kind that the whole is of.
void RefineSubviews(const Ir& ir);

// Loops write into what they carry, where nobody else has it. Comes right
// before IREE decides what is run together, as the next.
void WriteCarriedInPlace(const Ir& ir);

// Turns of loops read what they carry where it is.
void ReadCarriedInPlace(const Ir& ir);

// What is written in place is a copy, if others may still read it then. Comes
// after what drops copies.
void CopyReadTargets(const Ir& ir);

// Loops and conditionals whose regions use what is computed outside: with a
// side effect.
void PinCapturedValues(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STREAM_PASSES_H_
