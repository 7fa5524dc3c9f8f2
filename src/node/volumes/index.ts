// The files of volumes that are made from the API.
export { ApiVolumeData } from './api-volume-data.ts';
export { containerFiles, type MountedFiles } from './container-files.ts';
export type { VolumeData, VolumeFile, VolumeFilesParts } from './volume-files.ts';
export { ClaimedVolumes, VolumeNotReady } from './claimed-volumes.ts';
export { GROW_EVERY_MS, growVolume } from './grow-volume.ts';
export { VolumesInUse } from './volumes-in-use.ts';
