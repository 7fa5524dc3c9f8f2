// What other folders may use: other API servers behind this one.
export { Aggregator, type AggregatorOptions } from './aggregator.ts';
export type { LocalBackend } from './backends.ts';
export { ServiceRoutes, type ServiceRouting } from './service-routes.ts';
