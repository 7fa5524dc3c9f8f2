// What other folders of the network use: policies resolved for the pods of a node.
export { type BlocksByFamily, blocksByFamily, type FamilyBlocks } from './address-blocks.ts';
export { networkPolicyStatement } from './network-policy-statement.ts';
export type { PodIdentity } from './attachments.ts';
export {
  type PolicyEngine,
  policyEngine,
  type PolicyEngineOptions,
  type PolicyFeed,
  type PolicySink,
} from './policy-engine.ts';
export { type PolicedPod, policedPod } from './policed-pod.ts';
export { PolicyResolver } from './policy-resolver.ts';
export { PolicyState, setEntries } from './policy-state.ts';
export type {
  AddressBlocks,
  PeerStatement,
  PodSelection,
  PolicyStatement,
  PortStatement,
  Protocol,
  RuleAction,
  RuleStatement,
} from './policy-statement.ts';
export type {
  PolicyChanges,
  PolicyTier,
  ResolvedPeer,
  ResolvedPod,
  ResolvedPolicy,
  ResolvedPort,
  ResolvedRule,
  SetChange,
  SetId,
} from './resolved-policy.ts';
export { type Connection, isAllowed } from './verdict.ts';
