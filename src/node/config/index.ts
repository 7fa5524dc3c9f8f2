// The configuration with which the runtime creates pods and containers.
export {
  type ConfigSources,
  containerConfig,
  containerIdentity,
  imageSpec,
  terminationFile,
} from './container-config.ts';
export { HOSTS_PATH, hostsContent, hostsFile, type HostsParts, usesManagedHosts } from './hosts-file.ts';
export {
  type CgroupDriver,
  type CgroupName,
  cgroupNameOf,
  cgroupPath,
  KUBEPODS,
  podCgroupName,
  type PodCgroupPlace,
  qosCgroupName,
} from './cgroup-name.ts';
export { linuxResources, podCgroupLimits, sandboxResources, shares } from './linux-resources.ts';
export { DEFAULT_RULES, type MemoryQuality, type ResourceRules, type SwapRules } from './resource-rules.ts';
export { canSwap } from './swap-limits.ts';
export { KeptSandboxConfig, sandboxConfig } from './sandbox-config.ts';
export type { KeyedData, ReferencedData } from './environment.ts';
export { ServiceVariables } from './service-variables.ts';
export { ContainerConfigError } from './config-error.ts';
export { ExpansionBudget, expandVariables, MAX_CONTAINER_CHARACTERS } from './expand-variables.ts';
export { containerMounts, type ContainerVolume, type SubPathMount } from './volume-mounts.ts';
export { fieldValue, type PodAddresses, resourceValue } from './field-values.ts';
