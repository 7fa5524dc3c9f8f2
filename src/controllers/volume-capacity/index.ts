// What other folders may use: what drivers have free, as objects.
export { type CapacitySettings, volumeCapacity } from './volume-capacity.ts';
