// The volume plugins.
export { nodeVolumeLimits } from './node-volume-limits.ts';
export { volumeBinding } from './volume-binding.ts';
export { volumeRestrictions } from './volume-restrictions.ts';
export { volumeZone } from './volume-zone.ts';
