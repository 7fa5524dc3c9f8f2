// What a node's agent needs from the machine it runs on.
export type * from './machine.ts';
export type {
  BackendContext,
  BackendPolling,
  CgroupSource,
  HealthCheck,
  NodeBackend,
  OpenNodeBackend,
  OpenVolumeDrivers,
  PodContent,
  PodFiles,
  ReadCgroupOptions,
  UsageSource,
  VolumeDrivers,
} from './node-backend.ts';
export {
  type ClaimedDevice,
  type ContainerClaim,
  type ContainerEdits,
  type DeviceEdits,
  type DeviceHealth,
  type DeviceResources,
  NO_DEVICES,
  NO_EDITS,
  type GivenDevice,
  type NodeDevices,
  type PodClaim,
  type Refusal,
} from './node-devices.ts';
export {
  type CgroupLimits,
  type Checkpoints,
  type GivenMemory,
  type GivenResources,
  type NodeResources,
  NOTHING_GIVEN,
  UNLIMITED,
} from './node-resources.ts';
export {
  defaultAddress,
  defaultPlaceOf,
  defaultPodCidr,
  type NodeBehavior,
  type NodeSettings,
} from './node-settings.ts';
export {
  folderName,
  type MountedVolume,
  type MountRequest,
  podFolder,
  type SubPathRequest,
  type Volume,
  type VolumeFile,
  volumeFolder,
  VolumeGrowError,
  type VolumePayload,
  type VolumePlugin,
  type VolumeSource,
  type VolumeStats,
  VolumeStepError,
} from './volume-plugin.ts';
export type { BackendMetrics, Family, Sample } from './metric-family.ts';
