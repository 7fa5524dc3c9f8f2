// A node on a Linux machine: containers of a runtime behind a socket, real volumes, real limits.
export { linuxBackend, type LinuxBackendOptions } from './linux-backend.ts';
export { type CgroupOptions, DEFAULT_CGROUP_OPTIONS, type Enforcement } from './cgroups/cgroup-options.ts';
export { machineCredentials, runCredentialProgram } from './credential-programs.ts';
export { DiskPullRecords } from './disk-pull-records.ts';
export { LogindShutdown } from './shutdown/logind-shutdown.ts';
export { nodeAddresses } from './machine/node-addresses.ts';
export { DEFAULT_EVICTION_HARD, type ReservationOptions } from './machine/reserved-resources.ts';
