// The API server as a program: its flags, and what they ask for.
export { auditSettings } from './audit-flags.ts';
export { encryptionFlags, encryptionSettings } from './encryption-flags.ts';
export { kubernetesVersionFlags, kubernetesVersionOf } from './kubernetes-version.ts';
export { server } from './program.ts';
export { etcdPlace, etcdStorage, serverFlags, serverSettings } from './server-flags.ts';
export { embeddedStorage, historyLimits, storeFlags } from './store-flags.ts';
