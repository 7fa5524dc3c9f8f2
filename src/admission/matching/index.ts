// What webhooks and policies share: matching requests.
export { EquivalentResources } from './equivalent-resources.ts';
export type { MatchRule } from './match-rule.ts';
export { type Match, type MatchCriteria, RequestMatcher, type MatchSources } from './request-matcher.ts';
export { inVersionOf, versionedAttributes } from './versioned-attributes.ts';
export { ConditionMetrics } from './condition-metrics.ts';
