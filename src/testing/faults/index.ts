// Fault injection for test clusters.
export type { ActiveFault, CallFault, Fault, FaultChance, FaultTarget, RequestFault } from './fault.ts';
export { apiWithFaults, webhookWithFaults } from './fault-calls.ts';
export { faultArrivals } from './fault-arrivals.ts';
export { FaultRules } from './fault-rules.ts';
export { faultTransport } from './fault-transport.ts';
export type { PastView } from './past-view.ts';
export { FaultProxy, type FaultProxyOptions, type Injection, type ProxiedFault } from './proxy/fault-proxy.ts';
