// A smaller door of `controllers`: what works for volume drivers, without the other controllers.
export * from '../volume-provisioner/index.ts';
export { type CapacityOwner, type CapacitySettings, volumeCapacity } from '../volume-capacity/volume-capacity.ts';
export * from '../volume-snapshotter/index.ts';
export { volumeSidecars } from './volume-sidecars.ts';
