// What other folders may use: a whole control plane, put together.
export * from './server-only.ts';
export { type ClusterAccess, defaultKubeconfigPath, kubeconfigText, writeKubeconfig } from './kubeconfig.ts';
export { type ContextOptions, KubeconfigContext } from './kubeconfig-context.ts';
export type { LocalBackend } from '../aggregator/index.ts';
export { copyStore, type CopyOptions, type CopyReport, type StorePlace } from './migration/copy-store.ts';
export { keelsonVersion, KUBERNETES_VERSION } from '../base/index.ts';
export { type InProcessOptions, InProcessTransport, servedObject } from './in-process-transport.ts';
export type { ListenAddress } from './addresses.ts';
export { Cluster, launchCluster, runClusterWorker } from './cluster.ts';
export type { ClusterOptions } from './cluster-options.ts';
export { FencedCluster, type FencedOptions, launchFenced } from './launch-fenced.ts';
export type { ClusterTemplate } from './template/cluster-template.ts';
export { EncryptionConfigError, type EncryptionOptions } from '../encryption/index.ts';
export { type Program, type ProgramEntry, programs, type WorkloadOptions } from './programs/index.ts';
// What is given to a server: who may do what, what becomes of objects, kinds that are made up in code.
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
  Interference,
  LocalWebhook,
  PathHandler,
  Resource,
  StorageForm,
  Strategy,
  TracedOperation,
  TracedRequest,
  TracedStep,
  UserInfo,
} from '../apiserver/index.ts';
export { builtInCapabilities, customCapabilities, inProcessCall, NO_OPINION, requestInfo } from '../apiserver/index.ts';
export { builtInTypes, structuralKind, type StructuralSchema } from '../api/index.ts';
export type { KeptReview } from '../admission/index.ts';
export { chooseControllers, controllerListProblems } from '../controllers/index.ts';
export {
  MAX_SIMULATED_DEVICES,
  simulatedBackend,
  type SimulatedBackendOptions,
  type SimulatedDevices,
} from '../simulated/index.ts';
export { type ImageCommand, ImageCommands, readImageCommands } from '../processes/index.ts';
export type { RunImagesOptions } from './programs/kubelet/node-options.ts';
export { ControllerManager, type ControllerManagerOptions } from './programs/controller-manager/controller-manager.ts';
export { NodeProgram, type NodeProgramOptions } from './programs/kubelet/node-program.ts';
export { SchedulerProgram, type SchedulerProgramOptions } from './programs/scheduler/scheduler-program.ts';
export {
  configuredScheduler,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
  schedulerConfigurationText,
  type SchedulingAttempt,
} from '../scheduler/index.ts';
export { ServiceAccountClients } from './programs/controller-manager/service-account-clients.ts';
