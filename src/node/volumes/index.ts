// The volumes of pods: their content, their claims, and which ones are in use.
export { ApiVolumeData } from './api-volume-data.ts';
export { containerVolumes } from './container-volumes.ts';
export { PodContents, type PodContentsParts } from './pod-contents.ts';
export type { VolumeData } from './volume-files.ts';
export { mountVolumes, type VolumeWaits } from './mount-volumes.ts';
export { PodVolumes, type PodVolumesParts } from './pod-volumes.ts';
export { PodVolumesUsage } from './volume-usage.ts';
export { GROW_EVERY_MS } from './grow-volume.ts';
export { type PodToken, ServiceAccountTokens } from './service-account-tokens.ts';
export { VolumesInUse } from './volumes-in-use.ts';
export { VolumeUpkeep } from './volume-upkeep.ts';
export { VolumeNotReady } from './volume-errors.ts';
