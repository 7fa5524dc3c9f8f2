// What the cluster and the list of controllers may import: provisioning of volumes.
export { DRIVER_RETRIES, withDriverBackoff } from './driver-backoff.ts';
export { MODIFY_SECRET, metadataParameters } from './provisioned-volume.ts';
export {
  readSecret,
  RESERVED_PREFIX,
  type SecretParameters,
  type SecretReference,
  secretReference,
} from './secret-reference.ts';
export { isReachable, type NodeDeployment } from './node-deployment.ts';
export { type SidecarSettings, workOf } from './sidecar-settings.ts';
export { SIMULATED_DRIVER, simulatedDriver } from './simulated-driver.ts';
export * from './snapshot-kinds.ts';
export { volumeCapabilityOf } from './volume-capability.ts';
export * from './volume-driver.ts';
export { volumeProvisioner } from './volume-provisioner.ts';
