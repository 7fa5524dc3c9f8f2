// What other folders may use: calls of service brokers, and what the specification forbids in a catalog.
export {
  brokerClient,
  type BrokerCall,
  type BrokerClient,
  type BrokerClientOptions,
  type BrokerReply,
  BrokerUnreachable,
} from './client/broker-client.ts';
export { catalogFindings, type CatalogRule } from './protocol/catalog-problems.ts';
export { isJsonObject } from './protocol/identity-header.ts';
export type { JsonObject, OsbCatalog, OsbPlan, OsbService } from './protocol/osb.ts';
