// What the cluster and the list of controllers may import: provisioning of volumes.
export { DRIVER_RETRIES, withDriverBackoff } from './driver-backoff.ts';
export { SIMULATED_DRIVER, simulatedDriver } from './simulated-driver.ts';
export * from './volume-driver.ts';
export { volumeProvisioner } from './volume-provisioner.ts';
