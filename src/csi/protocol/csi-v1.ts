// Written by `npm run protocols` from github.com/container-storage-interface/spec@v1.13.0/csi.proto. Do not edit.
import type { Method } from '../../wire/grpc/index.ts';
import {
  bool,
  enumeration,
  int32,
  int64,
  nested,
  oneof,
  repeated,
  text,
  textMap,
  type Fields,
  type Message,
  MessageTable,
} from '../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const PluginCapability_Service_Type = {
  UNKNOWN: 0,
  CONTROLLER_SERVICE: 1,
  VOLUME_ACCESSIBILITY_CONSTRAINTS: 2,
  GROUP_CONTROLLER_SERVICE: 3,
  SNAPSHOT_METADATA_SERVICE: 4,
  SNAPSHOT_ACCESSIBILITY_CONSTRAINTS: 5,
} as const;

export const PluginCapability_VolumeExpansion_Type = {
  UNKNOWN: 0,
  ONLINE: 1,
  OFFLINE: 2,
} as const;

export const VolumeCapability_AccessMode_Mode = {
  UNKNOWN: 0,
  SINGLE_NODE_WRITER: 1,
  SINGLE_NODE_READER_ONLY: 2,
  MULTI_NODE_READER_ONLY: 3,
  MULTI_NODE_SINGLE_WRITER: 4,
  MULTI_NODE_MULTI_WRITER: 5,
  SINGLE_NODE_SINGLE_WRITER: 6,
  SINGLE_NODE_MULTI_WRITER: 7,
} as const;

export const VolumeHealthErrorType = {
  UNKNOWN_VOLUME_HEALTH_TYPE: 0,
  DEGRADED: 1,
  INACCESSIBLE: 2,
  DATA_LOSS: 3,
} as const;

export const ControllerServiceCapability_RPC_Type = {
  UNKNOWN: 0,
  CREATE_DELETE_VOLUME: 1,
  PUBLISH_UNPUBLISH_VOLUME: 2,
  LIST_VOLUMES: 3,
  GET_CAPACITY: 4,
  CREATE_DELETE_SNAPSHOT: 5,
  LIST_SNAPSHOTS: 6,
  CLONE_VOLUME: 7,
  PUBLISH_READONLY: 8,
  EXPAND_VOLUME: 9,
  LIST_VOLUMES_PUBLISHED_NODES: 10,
  GET_VOLUME: 12,
  SINGLE_NODE_MULTI_WRITER: 13,
  MODIFY_VOLUME: 14,
  GET_SNAPSHOT: 15,
  GET_VOLUME_HEALTH: 16,
  LIST_VOLUME_HEALTH: 17,
} as const;

export const VolumeUsage_Unit = {
  UNKNOWN: 0,
  BYTES: 1,
  INODES: 2,
} as const;

export const StorageHealthErrorType = {
  UNKNOWN_STORAGE_HEALTH_ERROR_TYPE: 0,
  STORAGE_DEGRADED: 1,
  STORAGE_UNREACHABLE: 2,
} as const;

export const NodeServiceCapability_RPC_Type = {
  UNKNOWN: 0,
  STAGE_UNSTAGE_VOLUME: 1,
  GET_VOLUME_STATS: 2,
  EXPAND_VOLUME: 3,
  SINGLE_NODE_MULTI_WRITER: 5,
  VOLUME_MOUNT_GROUP: 6,
  GET_VOLUME_HEALTH: 7,
  GET_STORAGE_HEALTH: 8,
} as const;

export const GroupControllerServiceCapability_RPC_Type = {
  UNKNOWN: 0,
  CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT: 1,
} as const;

export const BlockMetadataType = {
  UNKNOWN: 0,
  FIXED_LENGTH: 1,
  VARIABLE_LENGTH: 2,
} as const;

export const boolValue = new MessageTable({ value: bool(1) });

export const int64Value = new MessageTable({ value: int64(1) });

export const timestamp = new MessageTable({ seconds: int64(1), nanos: int32(2) });

export const getPluginInfoRequest = new MessageTable({});

export const getPluginInfoResponse = new MessageTable({ name: text(1), vendorVersion: text(2), manifest: textMap(3) });

export const getPluginCapabilitiesRequest = new MessageTable({});

export const pluginCapabilityService = new MessageTable({ type: enumeration(1) });

export const pluginCapabilityVolumeExpansion = new MessageTable({ type: enumeration(1) });

export const pluginCapability = new MessageTable({
  ...oneof('type', {
    service: nested(1, pluginCapabilityService),
    volumeExpansion: nested(2, pluginCapabilityVolumeExpansion),
  }),
});

export const getPluginCapabilitiesResponse = new MessageTable({ capabilities: repeated(nested(1, pluginCapability)) });

export const probeRequest = new MessageTable({});

export const probeResponse = new MessageTable({ ready: nested(1, boolValue) });

export const capacityRange = new MessageTable({ requiredBytes: int64(1), limitBytes: int64(2) });

export const volumeCapabilityBlockVolume = new MessageTable({});

export const volumeCapabilityMountVolume = new MessageTable({
  fsType: text(1),
  mountFlags: repeated(text(2)),
  volumeMountGroup: text(3),
});

export const volumeCapabilityAccessMode = new MessageTable({ mode: enumeration(1) });

export const volumeCapability = new MessageTable({
  accessMode: nested(3, volumeCapabilityAccessMode),
  ...oneof('access_type', {
    block: nested(1, volumeCapabilityBlockVolume),
    mount: nested(2, volumeCapabilityMountVolume),
  }),
});

export const volumeContentSourceSnapshotSource = new MessageTable({ snapshotId: text(1) });

export const volumeContentSourceVolumeSource = new MessageTable({ volumeId: text(1) });

export const volumeContentSource = new MessageTable({
  ...oneof('type', {
    snapshot: nested(1, volumeContentSourceSnapshotSource),
    volume: nested(2, volumeContentSourceVolumeSource),
  }),
});

export const topology = new MessageTable({ segments: textMap(1) });

export const topologyRequirement = new MessageTable({
  requisite: repeated(nested(1, topology)),
  preferred: repeated(nested(2, topology)),
});

export const createVolumeRequest = new MessageTable({
  name: text(1),
  capacityRange: nested(2, capacityRange),
  volumeCapabilities: repeated(nested(3, volumeCapability)),
  parameters: textMap(4),
  secrets: textMap(5),
  volumeContentSource: nested(6, volumeContentSource),
  accessibilityRequirements: nested(7, topologyRequirement),
  mutableParameters: textMap(8),
});

export const volume = new MessageTable({
  capacityBytes: int64(1),
  volumeId: text(2),
  volumeContext: textMap(3),
  contentSource: nested(4, volumeContentSource),
  accessibleTopology: repeated(nested(5, topology)),
});

export const createVolumeResponse = new MessageTable({ volume: nested(1, volume) });

export const deleteVolumeRequest = new MessageTable({ volumeId: text(1), secrets: textMap(2) });

export const deleteVolumeResponse = new MessageTable({});

export const controllerPublishVolumeRequest = new MessageTable({
  volumeId: text(1),
  nodeId: text(2),
  volumeCapability: nested(3, volumeCapability),
  readonly: bool(4),
  secrets: textMap(5),
  volumeContext: textMap(6),
});

export const controllerPublishVolumeResponse = new MessageTable({ publishContext: textMap(1) });

export const controllerUnpublishVolumeRequest = new MessageTable({
  volumeId: text(1),
  nodeId: text(2),
  secrets: textMap(3),
});

export const controllerUnpublishVolumeResponse = new MessageTable({});

export const validateVolumeCapabilitiesRequest = new MessageTable({
  volumeId: text(1),
  volumeContext: textMap(2),
  volumeCapabilities: repeated(nested(3, volumeCapability)),
  parameters: textMap(4),
  secrets: textMap(5),
  mutableParameters: textMap(6),
});

export const validateVolumeCapabilitiesResponseConfirmed = new MessageTable({
  volumeContext: textMap(1),
  volumeCapabilities: repeated(nested(2, volumeCapability)),
  parameters: textMap(3),
  mutableParameters: textMap(4),
});

export const validateVolumeCapabilitiesResponse = new MessageTable({
  confirmed: nested(1, validateVolumeCapabilitiesResponseConfirmed),
  message: text(2),
});

export const listVolumesRequest = new MessageTable({ maxEntries: int32(1), startingToken: text(2) });

export const listVolumesResponseVolumeStatus = new MessageTable({ publishedNodeIds: repeated(text(1)) });

export const listVolumesResponseEntry = new MessageTable({
  volume: nested(1, volume),
  status: nested(2, listVolumesResponseVolumeStatus),
});

export const listVolumesResponse = new MessageTable({
  entries: repeated(nested(1, listVolumesResponseEntry)),
  nextToken: text(2),
});

export const controllerListVolumeHealthRequest = new MessageTable({
  maxEntries: int32(1),
  startingToken: text(2),
  secrets: textMap(3),
});

export const volumeHealthVolumeHealthEntry = new MessageTable({
  status: enumeration(1),
  reason: text(2),
  message: text(3),
});

export const volumeHealth = new MessageTable({
  volumeId: text(1),
  healthStatuses: repeated(nested(2, volumeHealthVolumeHealthEntry)),
});

export const controllerListVolumeHealthResponse = new MessageTable({
  entries: repeated(nested(1, volumeHealth)),
  nextToken: text(2),
});

export const controllerGetVolumeHealthRequest = new MessageTable({ volumeId: text(1), secrets: textMap(2) });

export const controllerGetVolumeHealthResponse = new MessageTable({ volumeHealth: nested(1, volumeHealth) });

export const controllerGetVolumeRequest = new MessageTable({ volumeId: text(1) });

export const controllerGetVolumeResponseVolumeStatus = new MessageTable({ publishedNodeIds: repeated(text(1)) });

export const controllerGetVolumeResponse = new MessageTable({
  volume: nested(1, volume),
  status: nested(2, controllerGetVolumeResponseVolumeStatus),
});

export const controllerModifyVolumeRequest = new MessageTable({
  volumeId: text(1),
  secrets: textMap(2),
  mutableParameters: textMap(3),
});

export const controllerModifyVolumeResponse = new MessageTable({});

export const getCapacityRequest = new MessageTable({
  volumeCapabilities: repeated(nested(1, volumeCapability)),
  parameters: textMap(2),
  accessibleTopology: nested(3, topology),
});

export const getCapacityResponse = new MessageTable({
  availableCapacity: int64(1),
  maximumVolumeSize: nested(2, int64Value),
  minimumVolumeSize: nested(3, int64Value),
});

export const controllerGetCapabilitiesRequest = new MessageTable({});

export const controllerServiceCapabilityRPC = new MessageTable({ type: enumeration(1) });

export const controllerServiceCapability = new MessageTable({
  ...oneof('type', { rpc: nested(1, controllerServiceCapabilityRPC) }),
});

export const controllerGetCapabilitiesResponse = new MessageTable({
  capabilities: repeated(nested(1, controllerServiceCapability)),
});

export const createSnapshotRequest = new MessageTable({
  sourceVolumeId: text(1),
  name: text(2),
  secrets: textMap(3),
  parameters: textMap(4),
  accessibilityRequirements: nested(5, topologyRequirement),
});

export const snapshot = new MessageTable({
  sizeBytes: int64(1),
  snapshotId: text(2),
  sourceVolumeId: text(3),
  creationTime: nested(4, timestamp),
  readyToUse: bool(5),
  groupSnapshotId: text(6),
  accessibleTopology: repeated(nested(7, topology)),
});

export const createSnapshotResponse = new MessageTable({ snapshot: nested(1, snapshot) });

export const deleteSnapshotRequest = new MessageTable({ snapshotId: text(1), secrets: textMap(2) });

export const deleteSnapshotResponse = new MessageTable({});

export const listSnapshotsRequest = new MessageTable({
  maxEntries: int32(1),
  startingToken: text(2),
  sourceVolumeId: text(3),
  snapshotId: text(4),
  secrets: textMap(5),
});

export const listSnapshotsResponseEntry = new MessageTable({ snapshot: nested(1, snapshot) });

export const listSnapshotsResponse = new MessageTable({
  entries: repeated(nested(1, listSnapshotsResponseEntry)),
  nextToken: text(2),
});

export const getSnapshotRequest = new MessageTable({ snapshotId: text(1), secrets: textMap(2) });

export const getSnapshotResponse = new MessageTable({ snapshot: nested(1, snapshot) });

export const controllerExpandVolumeRequest = new MessageTable({
  volumeId: text(1),
  capacityRange: nested(2, capacityRange),
  secrets: textMap(3),
  volumeCapability: nested(4, volumeCapability),
});

export const controllerExpandVolumeResponse = new MessageTable({
  capacityBytes: int64(1),
  nodeExpansionRequired: bool(2),
});

export const nodeStageVolumeRequest = new MessageTable({
  volumeId: text(1),
  publishContext: textMap(2),
  stagingTargetPath: text(3),
  volumeCapability: nested(4, volumeCapability),
  secrets: textMap(5),
  volumeContext: textMap(6),
});

export const nodeStageVolumeResponse = new MessageTable({});

export const nodeUnstageVolumeRequest = new MessageTable({ volumeId: text(1), stagingTargetPath: text(2) });

export const nodeUnstageVolumeResponse = new MessageTable({});

export const nodePublishVolumeRequest = new MessageTable({
  volumeId: text(1),
  publishContext: textMap(2),
  stagingTargetPath: text(3),
  targetPath: text(4),
  volumeCapability: nested(5, volumeCapability),
  readonly: bool(6),
  secrets: textMap(7),
  volumeContext: textMap(8),
});

export const nodePublishVolumeResponse = new MessageTable({});

export const nodeUnpublishVolumeRequest = new MessageTable({ volumeId: text(1), targetPath: text(2) });

export const nodeUnpublishVolumeResponse = new MessageTable({});

export const nodeGetVolumeStatsRequest = new MessageTable({
  volumeId: text(1),
  volumePath: text(2),
  stagingTargetPath: text(3),
});

export const volumeUsage = new MessageTable({
  available: int64(1),
  total: int64(2),
  used: int64(3),
  unit: enumeration(4),
});

export const nodeGetVolumeStatsResponse = new MessageTable({ usage: repeated(nested(1, volumeUsage)) });

export const nodeGetVolumeHealthRequest = new MessageTable({
  volumeId: text(1),
  volumePublishPath: text(2),
  stagingTargetPath: text(3),
});

export const nodeGetVolumeHealthResponse = new MessageTable({ volumeHealth: nested(1, volumeHealth) });

export const nodeGetStorageHealthRequest = new MessageTable({ secrets: textMap(1) });

export const nodeGetStorageHealthResponseStorageBackendHealth = new MessageTable({
  status: enumeration(1),
  reason: text(2),
  message: text(3),
  volumeCapability: nested(4, volumeCapability),
});

export const nodeGetStorageHealthResponse = new MessageTable({
  backendHealth: repeated(nested(1, nodeGetStorageHealthResponseStorageBackendHealth)),
});

export const nodeGetCapabilitiesRequest = new MessageTable({});

export const nodeServiceCapabilityRPC = new MessageTable({ type: enumeration(1) });

export const nodeServiceCapability = new MessageTable({
  ...oneof('type', { rpc: nested(1, nodeServiceCapabilityRPC) }),
});

export const nodeGetCapabilitiesResponse = new MessageTable({
  capabilities: repeated(nested(1, nodeServiceCapability)),
});

export const nodeGetInfoRequest = new MessageTable({});

export const nodeGetInfoResponse = new MessageTable({
  nodeId: text(1),
  maxVolumesPerNode: int64(2),
  accessibleTopology: nested(3, topology),
});

export const nodeExpandVolumeRequest = new MessageTable({
  volumeId: text(1),
  volumePath: text(2),
  capacityRange: nested(3, capacityRange),
  stagingTargetPath: text(4),
  volumeCapability: nested(5, volumeCapability),
  secrets: textMap(6),
});

export const nodeExpandVolumeResponse = new MessageTable({ capacityBytes: int64(1) });

export const groupControllerGetCapabilitiesRequest = new MessageTable({});

export const groupControllerServiceCapabilityRPC = new MessageTable({ type: enumeration(1) });

export const groupControllerServiceCapability = new MessageTable({
  ...oneof('type', { rpc: nested(1, groupControllerServiceCapabilityRPC) }),
});

export const groupControllerGetCapabilitiesResponse = new MessageTable({
  capabilities: repeated(nested(1, groupControllerServiceCapability)),
});

export const createVolumeGroupSnapshotRequest = new MessageTable({
  name: text(1),
  sourceVolumeIds: repeated(text(2)),
  secrets: textMap(3),
  parameters: textMap(4),
});

export const volumeGroupSnapshot = new MessageTable({
  groupSnapshotId: text(1),
  snapshots: repeated(nested(2, snapshot)),
  creationTime: nested(3, timestamp),
  readyToUse: bool(4),
});

export const createVolumeGroupSnapshotResponse = new MessageTable({ groupSnapshot: nested(1, volumeGroupSnapshot) });

export const deleteVolumeGroupSnapshotRequest = new MessageTable({
  groupSnapshotId: text(1),
  snapshotIds: repeated(text(2)),
  secrets: textMap(3),
});

export const deleteVolumeGroupSnapshotResponse = new MessageTable({});

export const getVolumeGroupSnapshotRequest = new MessageTable({
  groupSnapshotId: text(1),
  snapshotIds: repeated(text(2)),
  secrets: textMap(3),
});

export const getVolumeGroupSnapshotResponse = new MessageTable({ groupSnapshot: nested(1, volumeGroupSnapshot) });

export const blockMetadata = new MessageTable({ byteOffset: int64(1), sizeBytes: int64(2) });

export const getMetadataAllocatedRequest = new MessageTable({
  snapshotId: text(1),
  startingOffset: int64(2),
  maxResults: int32(3),
  secrets: textMap(4),
});

export const getMetadataAllocatedResponse = new MessageTable({
  blockMetadataType: enumeration(1),
  volumeCapacityBytes: int64(2),
  blockMetadata: repeated(nested(3, blockMetadata)),
});

export const getMetadataDeltaRequest = new MessageTable({
  baseSnapshotId: text(1),
  targetSnapshotId: text(2),
  startingOffset: int64(3),
  maxResults: int32(4),
  secrets: textMap(5),
});

export const getMetadataDeltaResponse = new MessageTable({
  blockMetadataType: enumeration(1),
  volumeCapacityBytes: int64(2),
  blockMetadata: repeated(nested(3, blockMetadata)),
});

export const Identity = {
  getPluginInfo: method('/csi.v1.Identity/GetPluginInfo', getPluginInfoRequest, getPluginInfoResponse),
  getPluginCapabilities: method(
    '/csi.v1.Identity/GetPluginCapabilities',
    getPluginCapabilitiesRequest,
    getPluginCapabilitiesResponse,
  ),
  probe: method('/csi.v1.Identity/Probe', probeRequest, probeResponse),
};

export const Controller = {
  createVolume: method('/csi.v1.Controller/CreateVolume', createVolumeRequest, createVolumeResponse),
  deleteVolume: method('/csi.v1.Controller/DeleteVolume', deleteVolumeRequest, deleteVolumeResponse),
  controllerPublishVolume: method(
    '/csi.v1.Controller/ControllerPublishVolume',
    controllerPublishVolumeRequest,
    controllerPublishVolumeResponse,
  ),
  controllerUnpublishVolume: method(
    '/csi.v1.Controller/ControllerUnpublishVolume',
    controllerUnpublishVolumeRequest,
    controllerUnpublishVolumeResponse,
  ),
  validateVolumeCapabilities: method(
    '/csi.v1.Controller/ValidateVolumeCapabilities',
    validateVolumeCapabilitiesRequest,
    validateVolumeCapabilitiesResponse,
  ),
  listVolumes: method('/csi.v1.Controller/ListVolumes', listVolumesRequest, listVolumesResponse),
  controllerListVolumeHealth: method(
    '/csi.v1.Controller/ControllerListVolumeHealth',
    controllerListVolumeHealthRequest,
    controllerListVolumeHealthResponse,
  ),
  controllerGetVolumeHealth: method(
    '/csi.v1.Controller/ControllerGetVolumeHealth',
    controllerGetVolumeHealthRequest,
    controllerGetVolumeHealthResponse,
  ),
  getCapacity: method('/csi.v1.Controller/GetCapacity', getCapacityRequest, getCapacityResponse),
  controllerGetCapabilities: method(
    '/csi.v1.Controller/ControllerGetCapabilities',
    controllerGetCapabilitiesRequest,
    controllerGetCapabilitiesResponse,
  ),
  createSnapshot: method('/csi.v1.Controller/CreateSnapshot', createSnapshotRequest, createSnapshotResponse),
  deleteSnapshot: method('/csi.v1.Controller/DeleteSnapshot', deleteSnapshotRequest, deleteSnapshotResponse),
  listSnapshots: method('/csi.v1.Controller/ListSnapshots', listSnapshotsRequest, listSnapshotsResponse),
  getSnapshot: method('/csi.v1.Controller/GetSnapshot', getSnapshotRequest, getSnapshotResponse),
  controllerExpandVolume: method(
    '/csi.v1.Controller/ControllerExpandVolume',
    controllerExpandVolumeRequest,
    controllerExpandVolumeResponse,
  ),
  controllerGetVolume: method(
    '/csi.v1.Controller/ControllerGetVolume',
    controllerGetVolumeRequest,
    controllerGetVolumeResponse,
  ),
  controllerModifyVolume: method(
    '/csi.v1.Controller/ControllerModifyVolume',
    controllerModifyVolumeRequest,
    controllerModifyVolumeResponse,
  ),
};

export const GroupController = {
  groupControllerGetCapabilities: method(
    '/csi.v1.GroupController/GroupControllerGetCapabilities',
    groupControllerGetCapabilitiesRequest,
    groupControllerGetCapabilitiesResponse,
  ),
  createVolumeGroupSnapshot: method(
    '/csi.v1.GroupController/CreateVolumeGroupSnapshot',
    createVolumeGroupSnapshotRequest,
    createVolumeGroupSnapshotResponse,
  ),
  deleteVolumeGroupSnapshot: method(
    '/csi.v1.GroupController/DeleteVolumeGroupSnapshot',
    deleteVolumeGroupSnapshotRequest,
    deleteVolumeGroupSnapshotResponse,
  ),
  getVolumeGroupSnapshot: method(
    '/csi.v1.GroupController/GetVolumeGroupSnapshot',
    getVolumeGroupSnapshotRequest,
    getVolumeGroupSnapshotResponse,
  ),
};

export const SnapshotMetadata = {
  getMetadataAllocated: method(
    '/csi.v1.SnapshotMetadata/GetMetadataAllocated',
    getMetadataAllocatedRequest,
    getMetadataAllocatedResponse,
  ),
  getMetadataDelta: method(
    '/csi.v1.SnapshotMetadata/GetMetadataDelta',
    getMetadataDeltaRequest,
    getMetadataDeltaResponse,
  ),
};

export const Node = {
  nodeStageVolume: method('/csi.v1.Node/NodeStageVolume', nodeStageVolumeRequest, nodeStageVolumeResponse),
  nodeUnstageVolume: method('/csi.v1.Node/NodeUnstageVolume', nodeUnstageVolumeRequest, nodeUnstageVolumeResponse),
  nodePublishVolume: method('/csi.v1.Node/NodePublishVolume', nodePublishVolumeRequest, nodePublishVolumeResponse),
  nodeUnpublishVolume: method(
    '/csi.v1.Node/NodeUnpublishVolume',
    nodeUnpublishVolumeRequest,
    nodeUnpublishVolumeResponse,
  ),
  nodeGetVolumeStats: method('/csi.v1.Node/NodeGetVolumeStats', nodeGetVolumeStatsRequest, nodeGetVolumeStatsResponse),
  nodeGetVolumeHealth: method(
    '/csi.v1.Node/NodeGetVolumeHealth',
    nodeGetVolumeHealthRequest,
    nodeGetVolumeHealthResponse,
  ),
  nodeGetStorageHealth: method(
    '/csi.v1.Node/NodeGetStorageHealth',
    nodeGetStorageHealthRequest,
    nodeGetStorageHealthResponse,
  ),
  nodeExpandVolume: method('/csi.v1.Node/NodeExpandVolume', nodeExpandVolumeRequest, nodeExpandVolumeResponse),
  nodeGetCapabilities: method(
    '/csi.v1.Node/NodeGetCapabilities',
    nodeGetCapabilitiesRequest,
    nodeGetCapabilitiesResponse,
  ),
  nodeGetInfo: method('/csi.v1.Node/NodeGetInfo', nodeGetInfoRequest, nodeGetInfoResponse),
};
