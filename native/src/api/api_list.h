// SPDX-License-Identifier: Apache-2.0
// Every function of PJRT_Api in the order of the header:
//   IMPLEMENTED(name of the C function, C++ function)
//   NOT_IMPLEMENTED(name of the C function, reason)
// A test compares this list with the struct.
#ifndef IREE_PJRT_API_API_LIST_H_
#define IREE_PJRT_API_API_LIST_H_

// clang-format off
#define IREE_PJRT_API_LIST(IMPLEMENTED, NOT_IMPLEMENTED) \
  IMPLEMENTED(Error_Destroy, ErrorDestroy) \
  IMPLEMENTED(Error_Message, ErrorMessage) \
  IMPLEMENTED(Error_GetCode, ErrorGetCode) \
  IMPLEMENTED(Plugin_Initialize, PluginInitialize) \
  IMPLEMENTED(Plugin_Attributes, PluginAttributes) \
  IMPLEMENTED(Event_Destroy, EventDestroy) \
  IMPLEMENTED(Event_IsReady, EventIsReady) \
  IMPLEMENTED(Event_Error, EventError) \
  IMPLEMENTED(Event_Await, EventAwait) \
  IMPLEMENTED(Event_OnReady, EventOnReady) \
  IMPLEMENTED(Client_Create, ClientCreate) \
  IMPLEMENTED(Client_Destroy, ClientDestroy) \
  IMPLEMENTED(Client_PlatformName, ClientPlatformName) \
  IMPLEMENTED(Client_ProcessIndex, ClientProcessIndex) \
  IMPLEMENTED(Client_PlatformVersion, ClientPlatformVersion) \
  IMPLEMENTED(Client_Devices, ClientDevices) \
  IMPLEMENTED(Client_AddressableDevices, ClientAddressableDevices) \
  IMPLEMENTED(Client_LookupDevice, ClientLookupDevice) \
  IMPLEMENTED(Client_LookupAddressableDevice, ClientLookupAddressableDevice) \
  IMPLEMENTED(Client_AddressableMemories, ClientAddressableMemories) \
  IMPLEMENTED(Client_Compile, ClientCompile) \
  IMPLEMENTED(Client_DefaultDeviceAssignment, ClientDefaultDeviceAssignment) \
  IMPLEMENTED(Client_BufferFromHostBuffer, ClientBufferFromHostBuffer) \
  IMPLEMENTED(DeviceDescription_Id, DeviceDescriptionId) \
  IMPLEMENTED(DeviceDescription_ProcessIndex, DeviceDescriptionProcessIndex) \
  IMPLEMENTED(DeviceDescription_Attributes, DeviceDescriptionAttributes) \
  IMPLEMENTED(DeviceDescription_Kind, DeviceDescriptionKind) \
  IMPLEMENTED(DeviceDescription_DebugString, DeviceDescriptionDebugString) \
  IMPLEMENTED(DeviceDescription_ToString, DeviceDescriptionToString) \
  IMPLEMENTED(Device_GetDescription, DeviceGetDescription) \
  IMPLEMENTED(Device_IsAddressable, DeviceIsAddressable) \
  IMPLEMENTED(Device_LocalHardwareId, DeviceLocalHardwareId) \
  IMPLEMENTED(Device_AddressableMemories, DeviceAddressableMemories) \
  IMPLEMENTED(Device_DefaultMemory, DeviceDefaultMemory) \
  IMPLEMENTED(Device_MemoryStats, DeviceMemoryStats) \
  IMPLEMENTED(Memory_Id, MemoryId) \
  IMPLEMENTED(Memory_Kind, MemoryKind) \
  IMPLEMENTED(Memory_DebugString, MemoryDebugString) \
  IMPLEMENTED(Memory_ToString, MemoryToString) \
  IMPLEMENTED(Memory_AddressableByDevices, MemoryAddressableByDevices) \
  IMPLEMENTED(Executable_Destroy, ExecutableDestroy) \
  IMPLEMENTED(Executable_Name, ExecutableName) \
  IMPLEMENTED(Executable_NumReplicas, ExecutableNumReplicas) \
  IMPLEMENTED(Executable_NumPartitions, ExecutableNumPartitions) \
  IMPLEMENTED(Executable_NumOutputs, ExecutableNumOutputs) \
  IMPLEMENTED(Executable_SizeOfGeneratedCodeInBytes, ExecutableSizeOfGeneratedCode) \
  IMPLEMENTED(Executable_GetCostAnalysis, ExecutableGetCostAnalysis) \
  IMPLEMENTED(Executable_OutputMemoryKinds, ExecutableOutputMemoryKinds) \
  IMPLEMENTED(Executable_OptimizedProgram, ExecutableOptimizedProgram) \
  IMPLEMENTED(Executable_Serialize, ExecutableSerialize) \
  IMPLEMENTED(LoadedExecutable_Destroy, LoadedExecutableDestroy) \
  IMPLEMENTED(LoadedExecutable_GetExecutable, LoadedExecutableGetExecutable) \
  IMPLEMENTED(LoadedExecutable_AddressableDevices, LoadedExecutableAddressableDevices) \
  IMPLEMENTED(LoadedExecutable_Delete, LoadedExecutableDelete) \
  IMPLEMENTED(LoadedExecutable_IsDeleted, LoadedExecutableIsDeleted) \
  IMPLEMENTED(LoadedExecutable_Execute, LoadedExecutableExecute) \
  IMPLEMENTED(Executable_DeserializeAndLoad, ExecutableDeserializeAndLoad) \
  IMPLEMENTED(LoadedExecutable_Fingerprint, LoadedExecutableFingerprint) \
  IMPLEMENTED(Buffer_Destroy, BufferDestroy) \
  IMPLEMENTED(Buffer_ElementType, BufferElementType) \
  IMPLEMENTED(Buffer_Dimensions, BufferDimensions) \
  IMPLEMENTED(Buffer_UnpaddedDimensions, BufferUnpaddedDimensions) \
  IMPLEMENTED(Buffer_DynamicDimensionIndices, BufferDynamicDimensionIndices) \
  IMPLEMENTED(Buffer_GetMemoryLayout, BufferGetMemoryLayout) \
  IMPLEMENTED(Buffer_OnDeviceSizeInBytes, BufferOnDeviceSizeInBytes) \
  IMPLEMENTED(Buffer_Device, BufferDevice) \
  IMPLEMENTED(Buffer_Memory, BufferMemory) \
  IMPLEMENTED(Buffer_Delete, BufferDelete) \
  IMPLEMENTED(Buffer_IsDeleted, BufferIsDeleted) \
  IMPLEMENTED(Buffer_CopyToDevice, BufferCopyToDevice) \
  IMPLEMENTED(Buffer_ToHostBuffer, BufferToHostBuffer) \
  IMPLEMENTED(Buffer_IsOnCpu, BufferIsOnCpu) \
  IMPLEMENTED(Buffer_ReadyEvent, BufferReadyEvent) \
  IMPLEMENTED(Buffer_UnsafePointer, BufferUnsafePointer) \
  IMPLEMENTED(Buffer_IncreaseExternalReferenceCount, BufferIncreaseExternalReferenceCount) \
  IMPLEMENTED(Buffer_DecreaseExternalReferenceCount, BufferDecreaseExternalReferenceCount) \
  IMPLEMENTED(Buffer_OpaqueDeviceMemoryDataPointer, BufferOpaqueDeviceMemoryDataPointer) \
  NOT_IMPLEMENTED(CopyToDeviceStream_Destroy, "only a program that receives from the host makes such a stream; the IREE compiler has no recv") \
  NOT_IMPLEMENTED(CopyToDeviceStream_AddChunk, "only a program that receives from the host makes such a stream; the IREE compiler has no recv") \
  NOT_IMPLEMENTED(CopyToDeviceStream_TotalBytes, "only a program that receives from the host makes such a stream; the IREE compiler has no recv") \
  NOT_IMPLEMENTED(CopyToDeviceStream_GranuleSize, "only a program that receives from the host makes such a stream; the IREE compiler has no recv") \
  NOT_IMPLEMENTED(CopyToDeviceStream_CurrentBytes, "only a program that receives from the host makes such a stream; the IREE compiler has no recv") \
  IMPLEMENTED(TopologyDescription_Create, TopologyCreate) \
  IMPLEMENTED(TopologyDescription_Destroy, TopologyDestroy) \
  IMPLEMENTED(TopologyDescription_PlatformName, TopologyPlatformName) \
  IMPLEMENTED(TopologyDescription_PlatformVersion, TopologyPlatformVersion) \
  IMPLEMENTED(TopologyDescription_GetDeviceDescriptions, TopologyGetDeviceDescriptions) \
  IMPLEMENTED(TopologyDescription_Serialize, TopologySerialize) \
  IMPLEMENTED(TopologyDescription_Attributes, TopologyAttributes) \
  IMPLEMENTED(Compile, Compile) \
  IMPLEMENTED(Executable_OutputElementTypes, ExecutableOutputElementTypes) \
  IMPLEMENTED(Executable_OutputDimensions, ExecutableOutputDimensions) \
  IMPLEMENTED(Buffer_CopyToMemory, BufferCopyToMemory) \
  IMPLEMENTED(Client_CreateViewOfDeviceBuffer, ClientCreateViewOfDeviceBuffer) \
  IMPLEMENTED(Executable_Fingerprint, ExecutableFingerprint) \
  IMPLEMENTED(Client_TopologyDescription, ClientTopologyDescription) \
  IMPLEMENTED(Executable_GetCompiledMemoryStats, ExecutableGetCompiledMemoryStats) \
  IMPLEMENTED(Memory_Kind_Id, MemoryKindId) \
  IMPLEMENTED(ExecuteContext_Create, ExecuteContextCreate) \
  IMPLEMENTED(ExecuteContext_Destroy, ExecuteContextDestroy) \
  IMPLEMENTED(Buffer_CopyRawToHost, BufferCopyRawToHost) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_Destroy, TransferManagerDestroy) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_TransferData, TransferManagerTransferData) \
  IMPLEMENTED(Client_CreateBuffersForAsyncHostToDevice, ClientCreateBuffersForAsyncHostToDevice) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_RetrieveBuffer, TransferManagerRetrieveBuffer) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_Device, TransferManagerDevice) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_BufferCount, TransferManagerBufferCount) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_BufferSize, TransferManagerBufferSize) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_SetBufferError, TransferManagerSetBufferError) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_AddMetadata, TransferManagerAddMetadata) \
  IMPLEMENTED(Client_DmaMap, ClientDmaMap) \
  IMPLEMENTED(Client_DmaUnmap, ClientDmaUnmap) \
  IMPLEMENTED(Client_CreateUninitializedBuffer, ClientCreateUninitializedBuffer) \
  IMPLEMENTED(Client_UpdateGlobalProcessInfo, ClientUpdateGlobalProcessInfo) \
  IMPLEMENTED(TopologyDescription_Deserialize, TopologyDeserialize) \
  IMPLEMENTED(Client_CreateAliasBuffer, ClientCreateAliasBuffer) \
  IMPLEMENTED(Client_FulfillAliasBuffer, ClientFulfillAliasBuffer) \
  IMPLEMENTED(LoadedExecutable_GetDeviceAssignment, LoadedExecutableGetDeviceAssignment) \
  IMPLEMENTED(Client_CreateErrorBuffer, ClientCreateErrorBuffer) \
  IMPLEMENTED(AsyncHostToDeviceTransferManager_TransferLiteral, TransferManagerTransferLiteral) \
  IMPLEMENTED(Buffer_CopyRawToHostFuture, BufferCopyRawToHostFuture) \
  IMPLEMENTED(Device_PoisonExecution, DevicePoisonExecution) \
  IMPLEMENTED(Device_CreateAsyncTrackingEvent, DeviceCreateAsyncTrackingEvent) \
  IMPLEMENTED(AsyncTrackingEvent_Destroy, AsyncTrackingEventDestroy) \
  IMPLEMENTED(Executable_GetCompileOptions, ExecutableGetCompileOptions) \
  IMPLEMENTED(Buffer_DonateWithControlDependency, BufferDonateWithControlDependency) \
  IMPLEMENTED(Event_Create, EventCreate) \
  IMPLEMENTED(Event_Set, EventSet)
// clang-format on

#endif  // IREE_PJRT_API_API_LIST_H_
