// What other folders may use: the server, the definition of resources, and the interfaces of its extension points.
export { ApiServer, type ApiServerOptions, type Auditing, type ServerLimits } from './api-server.ts';
export type { AdmissionPlugin } from './admission/admission.ts';
export type { AdmissionAttributes, AdmissionTarget } from './admission/admission-attributes.ts';
export type {
  Answer,
  ConnectionAnswer,
  EncodedAnswer,
  StreamAnswer,
  TakeOver,
  UpgradeAnswer,
} from './answers/answer.ts';
export { takesApplication } from './answers/accept.ts';
export { noRouteBut } from './answers/not-acceptable.ts';
export { ageSince } from './answers/age.ts';
export { webSocketAnswer, type WebSocketAnswerOptions } from './answers/websocket-answer.ts';
export { HealthPaths, type HealthCheck, type HealthChecks } from './health/health-checks.ts';
export { VersionPath, type VersionInfo } from './health/version-path.ts';
export { MetricsPath, processStart } from './metrics/metrics-path.ts';
export { StorageMetrics } from './metrics/storage-metrics.ts';
export type { Call } from './request/call.ts';
export type {
  ClientCertificate,
  IncomingRequest,
  RequestBody,
  RequestHeaders,
  RequestOrigin,
} from './request/incoming-request.ts';
export { ANONYMOUS, type Impersonation, type Principal, type UserInfo } from './request/principal.ts';
export type { AnswerText, AuditDetail, RequestAudit, RequestRecord } from './request/request-record.ts';
export { requestInfo, type RequestInfo } from './request/request-info.ts';
export * from './resource.ts';
export { checkTyped } from './validation/typed-values.ts';
export { builtInCapabilities, type Capabilities, customCapabilities } from './capabilities.ts';
export { ResourceRegistry } from './resource-registry.ts';
export { type AnonymousRule, certificateAuthenticator, type Authenticator } from './stages/authenticate.ts';
export {
  type AccessDecision,
  type AccessRequest,
  type AccessRules,
  type Authorizer,
  firstOpinion,
  type ListingAuthorizer,
  mastersAuthorizer,
  NO_OPINION,
} from './access/authorizer.ts';
export { nodeOf } from './access/node-identity.ts';
export { evaluateWithAccess } from './access/expression-access.ts';
export { refusal } from './access/refusal.ts';
export { PastPaths } from './past/past-paths.ts';
export { TRACES_PATH } from './trace/trace-requests.ts';
export type { TracedOperation, TracedRequest, TracedStep, TraceStep } from './trace/request-trace.ts';
export { type InFlight, isLongRunning, type RequestLimiter } from './stages/limit-concurrency.ts';
export type { Delegate, PathHandler } from './stages/dispatch.ts';
export type { Encode, Interference, Next, Stage } from './stages/stage.ts';
export type { ObjectsOf } from './objects/objects-of.ts';
export { Listeners } from './listeners.ts';
export type { ObjectIndex } from './objects/objects-of.ts';
export type { ObjectDifference } from './objects/change-feed.ts';
export { ServerObjects, type ServerObjectsOptions, type StoredKind } from './objects/server-objects.ts';
export { SelfClient } from './self-client.ts';
export { jsonStorage, protobufStorage, type StorageCodec } from './storage/storage-codec.ts';
export type { SharedObjects } from './storage/object-store.ts';
export { ENCRYPTED_DATA, isEncrypted, type OpenedValue, type ValueTransformer } from './storage/value-transformer.ts';
export { StoredObject } from './storage/stored-object.ts';
export * from './transport/index.ts';
export type { ForeignApi, ForeignDocuments, ForeignOpenApi, ForeignVersion } from './discovery/foreign-api.ts';
export { DiscoveryPaths } from './discovery/discovery-paths.ts';
export { OpenApiPaths } from './discovery/openapi-paths.ts';
export { RootPath } from './discovery/discovery-paths.ts';
export { ServedApi } from './discovery/served-api.ts';
export { checkAnnotations, checkLabels, type Preconditions, timestamp } from '../api/index.ts';
export * from './forwarding/index.ts';
export * from './webhook/index.ts';
