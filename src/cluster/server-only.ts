// What an API server takes that has no controllers, scheduler or nodes beside it, for programs that load nothing of those.
export { ControlPlane } from './control-plane.ts';
export { startControlPlane } from './start-control-plane.ts';
export { type JoinToken, parseJoinToken } from './pki/sealed-files.ts';
export type { ControlPlaneOptions } from './control-plane-options.ts';
export type { AccessOptions } from './access.ts';
export type { AdmissionOptions } from './admission.ts';
export type { AggregationOptions } from './aggregation.ts';
export type { KubeletOptions } from './kubelet-connections.ts';
export type { ExtensionOptions, LocalOptions, TracingOptions } from './server-options.ts';
export type { ServingOptions } from './serving.ts';
export type { StorageOptions } from './storage-options.ts';
export { WORKER_VARIABLE } from './workers/messages.ts';
export { runWorker } from './workers/run-worker.ts';
export type { WorkersOptions } from './workers/workers-options.ts';
export type { AuthenticationSettings } from './authentication.ts';
export {
  type AuditDelivery,
  type AuditEvent,
  type AuditOptions,
  type AuditPolicy,
  type AuditSink,
  type AuthorizationOptions,
  authorizationProblems,
  type AuthorizationWebhookSettings,
  oidcConfiguration,
  readAuditPolicy,
  readAuthorizationFile,
  readConfigurationFile,
  readWebhookKubeconfig,
} from '../access/index.ts';
export {
  admissionProblems,
  type PluginConfigurations,
  readAdmissionConfiguration,
  runningPlugins,
} from '../resources/index.ts';
