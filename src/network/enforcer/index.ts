// What other folders use: policies enforced with nftables.
export { bridgeProblem } from './bridge-filter.ts';
export { nftProblem } from './nft-problem.ts';
export { type PolicyEnforcer, policyEnforcer, type PolicyEnforcerOptions } from './policy-enforcer.ts';
export { POLICY_TABLE, PolicyTable, type PolicyTableOptions } from './policy-table.ts';
