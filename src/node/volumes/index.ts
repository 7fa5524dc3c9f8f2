// The files of volumes that are made from the API.
export { ApiVolumeData } from './api-volume-data.ts';
export { containerFiles, type MountedFiles } from './container-files.ts';
export type { VolumeData, VolumeFile, VolumeFilesParts } from './volume-files.ts';
export { ClaimedVolumes, ClaimProblem } from './claimed-volumes.ts';
