// SPDX-License-Identifier: Apache-2.0
// The part of the MLIR C API that the rewrites use, as libIREECompiler exports
// it. MLIR's own headers do not come with the runtime sources; these are the
// declarations of its stable C ABI: each handle is a struct around one pointer.
#ifndef IREE_PJRT_MLIR_MLIR_C_H_
#define IREE_PJRT_MLIR_MLIR_C_H_

#include <stddef.h>
#include <stdint.h>

#include <string>

extern "C" {

#define IREE_PJRT_MLIR_HANDLE(name) \
  struct name {                     \
    void* ptr;                      \
  }
IREE_PJRT_MLIR_HANDLE(MlirAttribute);
IREE_PJRT_MLIR_HANDLE(MlirBlock);
IREE_PJRT_MLIR_HANDLE(MlirContext);
IREE_PJRT_MLIR_HANDLE(MlirDiagnostic);
IREE_PJRT_MLIR_HANDLE(MlirDialect);
IREE_PJRT_MLIR_HANDLE(MlirIdentifier);
IREE_PJRT_MLIR_HANDLE(MlirLocation);
IREE_PJRT_MLIR_HANDLE(MlirOpOperand);
IREE_PJRT_MLIR_HANDLE(MlirOpPassManager);
IREE_PJRT_MLIR_HANDLE(MlirOperation);
IREE_PJRT_MLIR_HANDLE(MlirPassManager);
IREE_PJRT_MLIR_HANDLE(MlirRegion);
IREE_PJRT_MLIR_HANDLE(MlirType);
IREE_PJRT_MLIR_HANDLE(MlirValue);
#undef IREE_PJRT_MLIR_HANDLE

struct MlirStringRef {
  const char* data;
  size_t length;
};
struct MlirNamedAttribute {
  MlirIdentifier name;
  MlirAttribute attribute;
};
struct MlirLogicalResult {
  int8_t value;  // 1: success
};
// The arrays are allocated and freed by MLIR: only its Add functions touch
// them.
struct MlirOperationState {
  MlirStringRef name;
  MlirLocation location;
  intptr_t num_results;
  MlirType* results;
  intptr_t num_operands;
  MlirValue* operands;
  intptr_t num_regions;
  MlirRegion* regions;
  intptr_t num_successors;
  MlirBlock* successors;
  intptr_t num_attributes;
  MlirNamedAttribute* attributes;
  bool enable_result_type_inference;
};
enum MlirWalkResult { kMlirWalkAdvance, kMlirWalkInterrupt, kMlirWalkSkip };
enum MlirWalkOrder { kMlirWalkPreOrder, kMlirWalkPostOrder };
enum MlirDiagnosticSeverity {
  kMlirDiagnosticError,
  kMlirDiagnosticWarning,
  kMlirDiagnosticNote,
  kMlirDiagnosticRemark
};
typedef uint64_t MlirDiagnosticHandlerId;
typedef MlirLogicalResult (*MlirDiagnosticHandler)(MlirDiagnostic diagnostic,
                                                   void* user_data);
typedef void (*MlirStringCallback)(MlirStringRef text, void* user_data);
typedef MlirWalkResult (*MlirOperationWalkCallback)(MlirOperation op,
                                                    void* user_data);

// Declared by iree/compiler/mlir_interop.h, which includes MLIR's headers.
typedef struct iree_compiler_session_t iree_compiler_session_t;
typedef struct iree_compiler_invocation_t iree_compiler_invocation_t;
MlirContext ireeCompilerSessionBorrowContext(iree_compiler_session_t* session);
MlirOperation ireeCompilerInvocationExportStealModule(
    iree_compiler_invocation_t* invocation);
bool ireeCompilerInvocationImportStealModule(
    iree_compiler_invocation_t* invocation, MlirOperation module);

}  // extern "C"

namespace iree_pjrt {

// X(function, its type)
#define IREE_PJRT_MLIR_FUNCTIONS(X)                                            \
  X(mlirArrayAttrGetElement, MlirAttribute (*)(MlirAttribute, intptr_t))       \
  X(mlirArrayAttrGetNumElements, intptr_t (*)(MlirAttribute))                  \
  X(mlirAttributeEqual, bool (*)(MlirAttribute, MlirAttribute))                \
  X(mlirAttributeGetType, MlirType (*)(MlirAttribute))                         \
  X(mlirAttributeIsAArray, bool (*)(MlirAttribute))                            \
  X(mlirAttributeIsADenseElements, bool (*)(MlirAttribute))                    \
  X(mlirAttributeIsADictionary, bool (*)(MlirAttribute))                       \
  X(mlirAttributeIsAString, bool (*)(MlirAttribute))                           \
  X(mlirAttributeParseGet, MlirAttribute (*)(MlirContext, MlirStringRef))      \
  X(mlirAttributePrint, void (*)(MlirAttribute, MlirStringCallback, void*))    \
  X(mlirBlockAddArgument, MlirValue (*)(MlirBlock, MlirType, MlirLocation))    \
  X(mlirBlockAppendOwnedOperation, void (*)(MlirBlock, MlirOperation))         \
  X(mlirBlockArgumentGetArgNumber, intptr_t (*)(MlirValue))                    \
  X(mlirBlockArgumentGetOwner, MlirBlock (*)(MlirValue))                       \
  X(mlirBlockCreate,                                                           \
    MlirBlock (*)(intptr_t, const MlirType*, const MlirLocation*))             \
  X(mlirBlockEraseArgument, void (*)(MlirBlock, unsigned))                     \
  X(mlirBlockGetArgument, MlirValue (*)(MlirBlock, intptr_t))                  \
  X(mlirBlockGetFirstOperation, MlirOperation (*)(MlirBlock))                  \
  X(mlirBlockGetNextInRegion, MlirBlock (*)(MlirBlock))                        \
  X(mlirBlockGetParentOperation, MlirOperation (*)(MlirBlock))                 \
  X(mlirBlockGetNumArguments, intptr_t (*)(MlirBlock))                         \
  X(mlirBlockInsertArgument,                                                   \
    MlirValue (*)(MlirBlock, intptr_t, MlirType, MlirLocation))                \
  X(mlirBlockInsertOwnedOperationBefore,                                       \
    void (*)(MlirBlock, MlirOperation, MlirOperation))                         \
  X(mlirContextAttachDiagnosticHandler,                                        \
    MlirDiagnosticHandlerId (*)(MlirContext, MlirDiagnosticHandler, void*,     \
                                void (*)(void*)))                              \
  X(mlirContextDetachDiagnosticHandler,                                        \
    void (*)(MlirContext, MlirDiagnosticHandlerId))                            \
  X(mlirContextEnableMultithreading, void (*)(MlirContext, bool))              \
  X(mlirContextGetOrLoadDialect, MlirDialect (*)(MlirContext, MlirStringRef))  \
  X(mlirDenseElementsAttrGetBoolValue, bool (*)(MlirAttribute, intptr_t))      \
  X(mlirDenseElementsAttrGetRawData, const void* (*)(MlirAttribute))           \
  X(mlirDenseElementsAttrGetSplatValue, MlirAttribute (*)(MlirAttribute))      \
  X(mlirDenseElementsAttrIsSplat, bool (*)(MlirAttribute))                     \
  X(mlirDenseElementsAttrRawBufferGet,                                         \
    MlirAttribute (*)(MlirType, size_t, const void*))                          \
  X(mlirDiagnosticGetLocation, MlirLocation (*)(MlirDiagnostic))               \
  X(mlirDiagnosticGetNote, MlirDiagnostic (*)(MlirDiagnostic, intptr_t))       \
  X(mlirDiagnosticGetNumNotes, intptr_t (*)(MlirDiagnostic))                   \
  X(mlirDiagnosticGetSeverity, MlirDiagnosticSeverity (*)(MlirDiagnostic))     \
  X(mlirDiagnosticPrint, void (*)(MlirDiagnostic, MlirStringCallback, void*))  \
  X(mlirDictionaryAttrGetElement,                                              \
    MlirNamedAttribute (*)(MlirAttribute, intptr_t))                           \
  X(mlirDictionaryAttrGetElementByName,                                        \
    MlirAttribute (*)(MlirAttribute, MlirStringRef))                           \
  X(mlirDictionaryAttrGetNumElements, intptr_t (*)(MlirAttribute))             \
  X(mlirElementsAttrGetNumElements, int64_t (*)(MlirAttribute))                \
  X(mlirIdentifierGet, MlirIdentifier (*)(MlirContext, MlirStringRef))         \
  X(mlirIdentifierStr, MlirStringRef (*)(MlirIdentifier))                      \
  X(mlirIntegerTypeGet, MlirType (*)(MlirContext, unsigned))                   \
  X(mlirIntegerTypeGetWidth, unsigned (*)(MlirType))                           \
  X(mlirLocationCallSiteGetCallee, MlirLocation (*)(MlirLocation))             \
  X(mlirLocationCallSiteGetCaller, MlirLocation (*)(MlirLocation))             \
  X(mlirLocationFileLineColRangeGetFilename, MlirIdentifier (*)(MlirLocation)) \
  X(mlirLocationFileLineColRangeGetStartLine, int (*)(MlirLocation))           \
  X(mlirLocationFusedGetLocations, void (*)(MlirLocation, MlirLocation*))      \
  X(mlirLocationFusedGetNumLocations, unsigned (*)(MlirLocation))              \
  X(mlirLocationIsACallSite, bool (*)(MlirLocation))                           \
  X(mlirLocationIsAFileLineColRange, bool (*)(MlirLocation))                   \
  X(mlirLocationIsAFused, bool (*)(MlirLocation))                              \
  X(mlirLocationIsAName, bool (*)(MlirLocation))                               \
  X(mlirLocationNameGetChildLoc, MlirLocation (*)(MlirLocation))               \
  X(mlirLocationNameGetName, MlirIdentifier (*)(MlirLocation))                 \
  X(mlirOpOperandGetNextUse, MlirOpOperand (*)(MlirOpOperand))                 \
  X(mlirOpOperandGetOperandNumber, unsigned (*)(MlirOpOperand))                \
  X(mlirOpOperandGetOwner, MlirOperation (*)(MlirOpOperand))                   \
  X(mlirOpResultGetOwner, MlirOperation (*)(MlirValue))                        \
  X(mlirOperationClone, MlirOperation (*)(MlirOperation))                      \
  X(mlirOperationCreate, MlirOperation (*)(MlirOperationState*))               \
  X(mlirOperationCreateParse,                                                  \
    MlirOperation (*)(MlirContext, MlirStringRef, MlirStringRef))              \
  X(mlirOperationDestroy, void (*)(MlirOperation))                             \
  X(mlirOperationGetAttribute,                                                 \
    MlirNamedAttribute (*)(MlirOperation, intptr_t))                           \
  X(mlirOperationGetAttributeByName,                                           \
    MlirAttribute (*)(MlirOperation, MlirStringRef))                           \
  X(mlirOperationGetBlock, MlirBlock (*)(MlirOperation))                       \
  X(mlirOperationGetFirstRegion, MlirRegion (*)(MlirOperation))                \
  X(mlirOperationGetLocation, MlirLocation (*)(MlirOperation))                 \
  X(mlirOperationGetName, MlirIdentifier (*)(MlirOperation))                   \
  X(mlirOperationGetNextInBlock, MlirOperation (*)(MlirOperation))             \
  X(mlirOperationGetNumAttributes, intptr_t (*)(MlirOperation))                \
  X(mlirOperationGetNumOperands, intptr_t (*)(MlirOperation))                  \
  X(mlirOperationGetNumRegions, intptr_t (*)(MlirOperation))                   \
  X(mlirOperationGetNumResults, intptr_t (*)(MlirOperation))                   \
  X(mlirOperationGetNumSuccessors, intptr_t (*)(MlirOperation))                \
  X(mlirOperationGetOperand, MlirValue (*)(MlirOperation, intptr_t))           \
  X(mlirOperationGetParentOperation, MlirOperation (*)(MlirOperation))         \
  X(mlirOperationGetRegion, MlirRegion (*)(MlirOperation, intptr_t))           \
  X(mlirOperationGetResult, MlirValue (*)(MlirOperation, intptr_t))            \
  X(mlirOperationGetSuccessor, MlirBlock (*)(MlirOperation, intptr_t))         \
  X(mlirOperationMoveBefore, void (*)(MlirOperation, MlirOperation))           \
  X(mlirOperationPrint, void (*)(MlirOperation, MlirStringCallback, void*))    \
  X(mlirOperationRemoveAttributeByName,                                        \
    bool (*)(MlirOperation, MlirStringRef))                                    \
  X(mlirOperationRemoveFromParent, void (*)(MlirOperation))                    \
  X(mlirOperationSetAttributeByName,                                           \
    void (*)(MlirOperation, MlirStringRef, MlirAttribute))                     \
  X(mlirOperationSetOperand, void (*)(MlirOperation, intptr_t, MlirValue))     \
  X(mlirOperationStateAddAttributes,                                           \
    void (*)(MlirOperationState*, intptr_t, const MlirNamedAttribute*))        \
  X(mlirOperationStateAddOperands,                                             \
    void (*)(MlirOperationState*, intptr_t, const MlirValue*))                 \
  X(mlirOperationStateAddOwnedRegions,                                         \
    void (*)(MlirOperationState*, intptr_t, const MlirRegion*))                \
  X(mlirOperationStateAddResults,                                              \
    void (*)(MlirOperationState*, intptr_t, const MlirType*))                  \
  X(mlirOperationStateGet,                                                     \
    MlirOperationState (*)(MlirStringRef, MlirLocation))                       \
  X(mlirOperationVerify, bool (*)(MlirOperation))                              \
  X(mlirOperationWalk,                                                         \
    void (*)(MlirOperation, MlirOperationWalkCallback, void*, MlirWalkOrder))  \
  X(mlirOperationWriteBytecode,                                                \
    void (*)(MlirOperation, MlirStringCallback, void*))                        \
  X(mlirParsePassPipeline,                                                     \
    MlirLogicalResult (*)(MlirOpPassManager, MlirStringRef,                    \
                          MlirStringCallback, void*))                          \
  X(mlirPassManagerCreate, MlirPassManager (*)(MlirContext))                   \
  X(mlirPassManagerDestroy, void (*)(MlirPassManager))                         \
  X(mlirPassManagerEnableVerifier, void (*)(MlirPassManager, bool))            \
  X(mlirPassManagerGetAsOpPassManager, MlirOpPassManager (*)(MlirPassManager)) \
  X(mlirPassManagerRunOnOp,                                                    \
    MlirLogicalResult (*)(MlirPassManager, MlirOperation))                     \
  X(mlirRegionAppendOwnedBlock, void (*)(MlirRegion, MlirBlock))               \
  X(mlirRegionCreate, MlirRegion (*)())                                        \
  X(mlirRegionGetFirstBlock, MlirBlock (*)(MlirRegion))                        \
  X(mlirRegionTakeBody, void (*)(MlirRegion, MlirRegion))                      \
  X(mlirShapedTypeGetDimSize, int64_t (*)(MlirType, intptr_t))                 \
  X(mlirShapedTypeGetElementType, MlirType (*)(MlirType))                      \
  X(mlirShapedTypeGetRank, int64_t (*)(MlirType))                              \
  X(mlirShapedTypeHasStaticShape, bool (*)(MlirType))                          \
  X(mlirStringAttrGetValue, MlirStringRef (*)(MlirAttribute))                  \
  X(mlirTypeIsAComplex, bool (*)(MlirType))                                    \
  X(mlirTypeIsAIndex, bool (*)(MlirType))                                      \
  X(mlirTypeIsAInteger, bool (*)(MlirType))                                    \
  X(mlirTypeEqual, bool (*)(MlirType, MlirType))                               \
  X(mlirTypeIsAShaped, bool (*)(MlirType))                                     \
  X(mlirTypeParseGet, MlirType (*)(MlirContext, MlirStringRef))                \
  X(mlirTypePrint, void (*)(MlirType, MlirStringCallback, void*))              \
  X(mlirValueGetFirstUse, MlirOpOperand (*)(MlirValue))                        \
  X(mlirValueGetType, MlirType (*)(MlirValue))                                 \
  X(mlirValueIsAOpResult, bool (*)(MlirValue))                                 \
  X(mlirValueReplaceAllUsesOfWith, void (*)(MlirValue, MlirValue))             \
  X(mlirValueSetType, void (*)(MlirValue, MlirType))                           \
  X(mlirVectorTypeGet, MlirType (*)(intptr_t, const int64_t*, MlirType))

struct MlirApi {
  template <typename T>
  using Type = T;
#define IREE_PJRT_DECLARE(name, ...) Type<__VA_ARGS__> name = nullptr;
  IREE_PJRT_MLIR_FUNCTIONS(IREE_PJRT_DECLARE)
#undef IREE_PJRT_DECLARE
};

// For what is printed in parts, to a std::string.
inline void AppendToString(MlirStringRef part, void* string) {
  static_cast<std::string*>(string)->append(part.data, part.length);
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_MLIR_C_H_
