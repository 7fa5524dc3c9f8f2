// The published door `keelson`: what an author of controllers, operators, webhooks and APIs writes.
export { app } from './app.ts';
export { run } from './run.ts';
export type { RunOptions } from './run-options.ts';
export type { App, AppOptions, AppRunOptions } from './app/app-options.ts';
export type { HealthOptions } from './app/health-server.ts';
export type { LeaderElectionOptions } from './election/leader-election.ts';

export { type Controller, controller } from './controller.ts';
export type { ControllerOptions, ReconcileContext, StatusOf, Watch } from './controller-options.ts';
export { controlledBy, type ControlledByOptions, watch, type WatchMapping } from './watch.ts';
export type { CacheQuery, Objects } from './objects.ts';
export type { Condition, StatedCondition } from './conditions.ts';
export type { EventDetails, EventRecorder, EventSubject } from './events.ts';
export type { ReconcileOutcome, ReconcileRecord, TraceFilter } from './trace.ts';

export type { AppContext, Part, PreparedPart, Subscription } from './part.ts';
export type { AddKeyOptions, KeyedWorkers, KeyedWorkersOptions, WorkContext } from './work/keyed-workers.ts';
export type { Passes, PassesOptions } from './work/passes.ts';
export { EchoFilter } from './work/echo-filter.ts';
export { inParallel, TaskPool } from './work/task-pool.ts';
export { podsByNode } from './indexes.ts';

export { resource } from './resource/resource.ts';
export { conversionOf } from './resource/conversion-of.ts';
export type { CustomResource, ObjectOf } from './resource/custom-resource.ts';
export type { DefinedKind } from './resource/defined-kind.ts';
export type { InstallOptions } from './resource/install-options.ts';
export type { Definition, ResourceOptions, VersionOptions } from './resource/resource-options.ts';
export type { RoundTripLoss, RoundTripOptions, RoundTripReport } from './resource/round-trip.ts';
export { SchemaError } from './resource/schema-problem.ts';
export type { JsonSchema, SchemaSource } from './resource/schema-source.ts';
export { type AccessNeed, type AppRoles, rbacOf, type RbacOptions } from './rbac/index.ts';

export { extensionServer, type ExtensionServerOptions, type ExtensionServing } from './app/extension-server.ts';
export {
  admission,
  type AdmissionContext,
  type AdmissionOperation,
  type AdmissionOptions,
  type AdmissionRule,
  type AdmissionUser,
  type Admitted,
  type KindAdmission,
} from './webhooks/index.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  authorizationWebhook,
  conversionHandler,
  type FrontProxy,
  frontProxy,
  type FrontProxyOptions,
  imagePolicy,
  type ImagePolicyOptions,
  type ProxyTarget,
  type TokenUser,
  tokenWebhook,
  type WebhookClientConfig,
  type WebhookHandler,
  WebhookRequestError,
  type WebhookServer,
  webhookServer,
  type WebhookServerOptions,
} from './webhooks/index.ts';
export {
  extender,
  type ExtenderOptions,
  type NodeView,
  type PodView,
  type SchedulerExtender,
} from './extender/index.ts';
export { type KmsPlugin, kmsPlugin, type KmsPluginOptions } from './kms/index.ts';
export {
  type KubectlPlugin,
  kubectlPlugin,
  type KubectlPluginOptions,
  type PluginRunOptions,
} from './plugin/kubectl-plugin.ts';
export type { PluginContext } from './plugin/plugin-context.ts';
export type { PluginFlag, PluginFlags, PluginFlagValues } from './plugin/plugin-arguments.ts';

export {
  alreadyExists,
  type Api,
  api,
  type ApiChange,
  type ApiContext,
  type ApiList,
  type ApiQuery,
  type ApiResource,
  type ApiStorage,
  type ApiUser,
  type ApiWatchQuery,
  conflict,
  expired,
  memoryStorage,
  type MemoryStorageOptions,
  notFound,
} from './apis/index.ts';

// The client that all of it works with; `keelson/client` has the rest of it.
export {
  Client,
  clusterKind,
  connect,
  type ConnectOptions,
  hasReason,
  type Index,
  index,
  jsonPatch,
  keyOf,
  type Kind,
  type KubernetesObject,
  mergePatch,
  namespacedKind,
  type ObjectSelection,
  type Observed,
  type Patch,
  type Sendable,
  splitKey,
  StatusError,
  type Stored,
  strategicPatch,
} from '../client/index.ts';
export type { Clock, Duration, Logger, LogLevel, MetricRegistry, Random } from '../base/index.ts';
// The kinds of Kubernetes, each a value and a type.
export {
  APIService,
  Binding,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ClusterTrustBundle,
  ComponentStatus,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  DeviceClass,
  DeviceTaintRule,
  EndpointSlice,
  Endpoints,
  Event,
  FlowSchema,
  HorizontalPodAutoscaler,
  IPAddress,
  Ingress,
  IngressClass,
  Job,
  Lease,
  LeaseCandidate,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodCertificateRequest,
  PodDisruptionBudget,
  PodGroup,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourcePoolStatusRequest,
  ResourceQuota,
  ResourceSlice,
  Role,
  RoleBinding,
  RuntimeClass,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  StorageVersion,
  StorageVersionMigration,
  SubjectAccessReview,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
  Workload,
} from '../client/index.ts';
