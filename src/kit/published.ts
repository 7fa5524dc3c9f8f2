// The published door `keelson`: what an author of controllers, operators, webhooks and APIs writes.
//
// A type is published when users write it in signatures, or when a published function returns it: declaration files of users name it then.
// Types of options are not: the compiler infers them, and `Parameters<typeof controller>[1]` reaches them.
export { app } from './app.ts';
export { run } from './run.ts';
export type { App } from './app/app-options.ts';

export { type Controller, controller } from './controller.ts';
export type { ReconcileContext, Watch } from './controller-options.ts';
export { controlledBy, watch } from './watch.ts';
export type { Objects } from './objects.ts';
export type { Condition, StatedCondition } from './conditions.ts';

export type { AppContext, Part } from './part.ts';
export { EchoFilter } from './work/echo-filter.ts';
export { inParallel } from './work/task-pool.ts';
export { podsByNode } from './indexes.ts';

export { resource } from './resource/resource.ts';
export { conversionOf } from './resource/conversion-of.ts';
export type { CustomResource, ObjectOf } from './resource/custom-resource.ts';
export type { CustomObject } from './resource/resource-options.ts';
export { SchemaError } from './resource/schema-problem.ts';
export { type AppRoles, rbacOf } from './rbac/index.ts';

export { extensionServer, type ExtensionServing } from './app/extension-server.ts';
export {
  admission,
  type AdmissionContext,
  type Admitted,
  authorizationWebhook,
  conversionHandler,
  type FrontProxy,
  frontProxy,
  imagePolicy,
  type KindAdmission,
  type ProxyTarget,
  tokenWebhook,
  type WebhookHandler,
  WebhookRequestError,
  type WebhookServer,
  webhookServer,
} from './webhooks/index.ts';
export { extender, type NodeView, type PodView, type SchedulerExtender } from './extender/index.ts';
export { type KmsPlugin, kmsPlugin } from './kms/index.ts';
export { type KubectlPlugin, kubectlPlugin } from './plugin/kubectl-plugin.ts';
export type { PluginContext } from './plugin/plugin-context.ts';

export {
  alreadyExists,
  type Api,
  api,
  type ApiResource,
  type ApiStorage,
  conflict,
  expired,
  memoryStorage,
  notFound,
} from './apis/index.ts';

// The client that all of it works with; `keelson/client` has the rest of it.
export {
  Client,
  clusterKind,
  connect,
  hasReason,
  type Index,
  index,
  jsonPatch,
  keyOf,
  type Kind,
  type KubernetesObject,
  mergePatch,
  namespacedKind,
  type Observed,
  type Patch,
  type Sendable,
  splitKey,
  StatusError,
  type Stored,
  strategicPatch,
} from '../client/index.ts';
export type { Clock, Duration, Logger } from '../base/index.ts';
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
