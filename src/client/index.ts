// What other folders may import: a client of API servers, and informers.
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
  type SentAs,
  splitKey,
  type Stored,
  type StoredMeta,
} from './kind.ts';
export { builtIn } from './generated/built-in.ts';
export * from './generated/kinds.ts';

export type {
  ResponseHeaders,
  Transport,
  TransportBody,
  TransportEvent,
  TransportRequest,
  TransportResponse,
} from './transport.ts';
export { withSend } from './transport.ts';
export { isTransportError, TransportError, type TransportFailure } from '../wire/http/index.ts';
export { HttpTransport, type HttpTransportOptions } from './http/index.ts';
export { type OutageOptions, Outages } from './outages.ts';
export { type Pace, pacedTransport } from './paced-transport.ts';
export { ClientMetrics, type MeterOptions } from './metered-transport.ts';
export type { ApiRequest, CallOptions } from './request/api-request.ts';
export { impersonationHeaders } from './request/requester.ts';
export { type Warning, type WarningHandler, warningTexts } from './request/warning.ts';
export { ResourcePath } from './resource/resource-path.ts';
export { hasReason, type Status, StatusError } from '../api/client.ts';

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
export type { ServedApis, ServedKind, Survey } from './discovery/served-apis.ts';
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
export { type AllNamespaces, ResourceClient } from './resource/resource-client.ts';
export { SubresourceClient } from './resource/subresource-client.ts';

export * from './informers/index.ts';
export * from './faults/index.ts';
