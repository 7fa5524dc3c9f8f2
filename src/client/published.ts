// The published door `keelson/client`: a client of API servers, and informers.
export { Client, type ClientOptions } from './client.ts';
export { connect, type ConnectOptions, connectTo, findConnection, type FindConnectionOptions } from './connect.ts';
export type { ClusterConnection } from './cluster-connection.ts';
export {
  clusterKind,
  keyOf,
  type Kind,
  type KindNames,
  type KubernetesObject,
  namespacedKind,
  type Observed,
  type Scope,
  type Sendable,
  splitKey,
  type Stored,
  type StoredMeta,
} from './kind.ts';
export { builtIn } from './generated/built-in.ts';
export * from './generated/kinds.ts';

export type { Duration } from '../base/index.ts';
export { hasReason, type Status, StatusError } from '../api/client.ts';
export { isTransportError, TransportError, type TransportFailure } from '../wire/http/index.ts';
export { HttpTransport, type HttpTransportOptions } from './http/index.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export type { ApiRequest, CallOptions } from './request/api-request.ts';
export type { Warning, WarningHandler } from './request/warning.ts';

export {
  basic,
  bearer,
  CertificateCredentials,
  type ClientCertificate,
  CombinedCredentials,
  type Credential,
  type Credentials,
  ExecCredentials,
  FixedCredentials,
  type PemSource,
  TokenFileCredentials,
} from './credentials/index.ts';
export {
  contextConnection,
  type Impersonation,
  inClusterConnection,
  type Kubeconfig,
  KubeconfigError,
  loadKubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
} from './kubeconfig/index.ts';

export type { GroupClient } from './group-clients.ts';
export type { ServedApis, ServedKind } from './discovery/served-apis.ts';
export type { List } from './resource/list.ts';
export type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  LabelQuery,
  ListOptions,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './resource/options.ts';
export { jsonPatch, mergePatch, type Patch, strategicPatch } from './resource/patch.ts';
export { bindPod, evictPod, type IssuedToken, type LogOptions, podLog, requestToken } from './resource/pod-actions.ts';
export type { AllNamespaces, ResourceClient } from './resource/resource-client.ts';
export type { SubresourceClient } from './resource/subresource-client.ts';

export {
  byNamespace,
  dropManagedFields,
  type Handler,
  type HandlerOptions,
  type HandlerRegistration,
  type Index,
  index,
  Indexer,
  type IndexReader,
  InformerFactory,
  type InformerFactoryOptions,
  type InformerOptions,
  ItemBackoff,
  keepMetadata,
  type ListWatcher,
  type ObjectSelection,
  type RateLimiter,
  Reflector,
  type ReflectorHealth,
  type ReflectorOptions,
  type ReflectorSink,
  type RetryDelays,
  SharedInformer,
  type SharedInformerOptions,
  strictestOf,
  TokenBucket,
  type Transform,
  WorkQueue,
  type WorkQueueOptions,
} from './informers/index.ts';
