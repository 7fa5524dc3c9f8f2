// What the cluster and the list of controllers may use: making volumes for claims.
export { SIMULATED_DRIVER, simulatedDriver } from './simulated-driver.ts';
export {
  type CreatedVolume,
  type CreateVolumeRequest,
  type VolumeCapability,
  type VolumeDriver,
  VolumeDriverError,
} from './volume-driver.ts';
export { volumeProvisioner } from './volume-provisioner.ts';
