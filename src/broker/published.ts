// The public entry point `keelson/broker`: service brokers (Open Service Broker API 2.17), written in TypeScript, and calls of them.
export { type OpenBroker, serviceBroker, type ServiceBroker } from './kit/service-broker.ts';
export type {
  BindingOf,
  BrokerDefinition,
  BrokerWork,
  InstanceOf,
  MadeBinding,
  MadeInstance,
  ServiceBinding,
  ServiceInstance,
} from './kit/broker-definition.ts';
export type { CatalogDefinition, PlanDefinition, ServiceDefinition } from './kit/broker-catalog.ts';
export type { BrokerAccess } from './kit/broker-access.ts';
export type { BrokerAnswer } from './kit/broker-answer.ts';
export type { BrokerRequest } from './kit/broker-routes.ts';
export type { BrokerServing } from './kit/broker-server.ts';
export { BrokerError } from './protocol/broker-error.ts';
export { folderRecords } from './records/folder-records.ts';
export {
  type BindingRecord,
  type BrokerRecords,
  type InstanceRecord,
  memoryRecords,
} from './records/broker-records.ts';

export {
  type BindingPlace,
  brokerClient,
  type BrokerCall,
  type BrokerCallOptions,
  type BrokerClient,
  type BrokerClientOptions,
  type BrokerReply,
  BrokerUnreachable,
  type InstancePlace,
  type PollOptions,
} from './client/broker-client.ts';
export {
  type Failed,
  interpretPoll,
  interpretReply,
  type Outcome,
  type PollOutcome,
} from './client/interpret-reply.ts';
export { catalogProblems } from './protocol/catalog-problems.ts';
export { ParameterSchemaError, parameterProblems } from './schema/parameter-schema.ts';
export type {
  BindingEndpoint,
  BrokerVerb,
  InstanceMetadata,
  JsonObject,
  MaintenanceInfo,
  OperationState,
  OriginatingIdentity,
  OsbBinding,
  OsbBindRequest,
  OsbCatalog,
  OsbInstance,
  OsbInstanceAnswer,
  OsbLastOperation,
  OsbPermission,
  OsbPlan,
  OsbProvisionRequest,
  OsbSchemas,
  OsbService,
  OsbUpdateRequest,
  VolumeMount,
} from './protocol/osb.ts';
