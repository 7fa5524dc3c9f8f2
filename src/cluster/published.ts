// The published door `keelson/server`: an API server or a whole cluster inside your program, and what extends it in code.
export { ControlPlane } from './control-plane.ts';
export { Cluster } from './cluster.ts';
export type { ClusterOptions } from './cluster-options.ts';
export { type InProgram, launchCluster, startControlPlane } from './start-in-program.ts';
export type { ControlPlaneOptions } from './control-plane-options.ts';
export type { AccessOptions } from './access.ts';
export type { AdmissionOptions } from './admission.ts';
export type { AggregationOptions } from './aggregation.ts';
export type { KubeletOptions } from './kubelet-connections.ts';
export type { ExtensionOptions, LocalOptions, TracingOptions } from './server-options.ts';
export type { ServingOptions } from './serving.ts';
export type { StorageOptions } from './storage-options.ts';
export { type ClusterAccess, defaultKubeconfigPath, kubeconfigText, writeKubeconfig } from './kubeconfig.ts';
export { copyStore, type CopyOptions, type CopyReport, type StorePlace } from './migration/copy-store.ts';
export { keelsonVersion, KUBERNETES_VERSION, type KubernetesVersion } from '../base/index.ts';
export type { AuditEvent, AuditOptions, AuditPolicy, AuditSink, AuthorizationOptions } from '../access/index.ts';
export type {
  AccessDecision,
  AccessRequest,
  AdmissionAttributes,
  AdmissionPlugin,
  Answer,
  Authenticator,
  Authorizer,
  Call,
  Column,
  Convert,
  PathHandler,
  Resource,
  StorageForm,
  Strategy,
  UserInfo,
} from '../apiserver/index.ts';
export { builtInCapabilities, customCapabilities, NO_OPINION } from '../apiserver/index.ts';
export { builtInTypes, structuralKind, type StructuralSchema } from '../api/index.ts';
