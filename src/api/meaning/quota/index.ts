// What objects use of ResourceQuotas, for the server, which enforces the limits, and for the controller, which counts.
export {
  addAmounts,
  areEqualAmounts,
  describeAmounts,
  increaseOfAmounts,
  nonZeroAmounts,
  pickAmounts,
} from './amounts.ts';
export type { DeviceObjects } from './device-claim-evaluator.ts';
export { countsFor, type QuotaEvaluator, type QuotaObject, usageOf } from './evaluator.ts';
export { QuotaEvaluators } from './quota-evaluators.ts';
export { scopeRules, type ScopeRule } from './scopes.ts';
export { isQuotaOfExtendedResource } from './pod-evaluator.ts';
