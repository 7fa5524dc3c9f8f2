// The volumes of pods: their content, their claims, and which ones are in use.
export { ApiVolumeData } from './api-volume-data.ts';
export { PodContents, type PodContentsParts } from './pod-contents.ts';
export type { VolumeData } from './volume-files.ts';
export { PodVolumes, type PodVolumesParts, VolumeNotReady } from './pod-volumes.ts';
export { GROW_EVERY_MS, growVolume } from './grow-volume.ts';
export { VolumesInUse } from './volumes-in-use.ts';
