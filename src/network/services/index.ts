export { readNode, type NodeFacts } from './node-facts.ts';
export {
  type IpFamily,
  isExternal,
  type PortEndpoints,
  type PortFacts,
  type PortProtocol,
  type ProxiedPort,
  type ServiceEndpoint,
  type TrafficPolicy,
} from './proxied-port.ts';
export { type FamilyHealth, type HealthReport, ProxyHealth } from './proxy-health.ts';
export { endpointPlace } from './read-endpoint-slices.ts';
export { addressOf, rangeOf } from './read-service.ts';
export { serviceProxy, type ServiceProxyOptions, type ServiceProxyState } from './service-proxy.ts';
export type { PortChange } from './service-table.ts';
export type { ServiceUpdate, Surroundings, SyncContext } from './service-update.ts';
