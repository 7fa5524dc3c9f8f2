// A node on a Linux machine: containers of a runtime behind a socket, real volumes, real limits.
export { linuxBackend, type LinuxBackendOptions } from './linux-backend.ts';
export { machineCredentials, runCredentialProgram } from './credential-programs.ts';
export { DiskPullRecords } from './disk-pull-records.ts';
export { mainAddresses } from './machine/machine-facts.ts';
