import type { BlocksByFamily } from './address-blocks.ts';
import type { Protocol, RuleAction } from './policy-statement.ts';

/**
 * The id of a set of addresses. Policies that select the same pods share a set: `pods shop app=web`, and so do all rules with a port name:
 * `ports TCP http 8080`.
 */
export type SetId = string;

/** The other end of a connection, resolved. */
export type ResolvedPeer =
  | { readonly type: 'pods'; readonly set: SetId }
  | { readonly type: 'blocks'; readonly blocks: BlocksByFamily };

/** Ports that a connection may lead to, resolved. */
export interface ResolvedPort {
  readonly protocol: Protocol;
  readonly first: number;
  readonly last: number;
  /** For a port that has been given by its name: only pods in this set have the name for this number. */
  readonly destinations?: SetId;
}

/** Which connections a rule is about, and what becomes of them. */
export interface ResolvedRule {
  readonly action: RuleAction;
  /** Undefined for all. */
  readonly peers: readonly ResolvedPeer[] | undefined;
  /** Undefined for all ports of all protocols. */
  readonly ports: readonly ResolvedPort[] | undefined;
}

/** The rules of a policy that selects a pod of the node. */
export interface ResolvedPolicy {
  readonly key: string;
  /** Undefined where the policy does not isolate its pods in this direction. */
  readonly ingress: readonly ResolvedRule[] | undefined;
  readonly egress: readonly ResolvedRule[] | undefined;
}

/** The policies of one tier that decide about a pod, by key, in their order. */
export type PolicyTier = readonly string[];

/** A pod of the node that has addresses. */
export interface ResolvedPod {
  /** `namespace/name` */
  readonly key: string;
  readonly uid: string;
  readonly addresses: readonly string[];
  /** The tiers with policies that isolate the pod for connections to it, in order; none when it is not isolated. */
  readonly ingress: readonly PolicyTier[];
  readonly egress: readonly PolicyTier[];
}

/** What became of a set of addresses. */
export type SetChange =
  | { readonly type: 'whole'; readonly addresses: readonly string[] }
  | { readonly type: 'difference'; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly type: 'gone' };

/**
 * What has changed since the last time. Everything that policies and pods name exists after the whole of it has been applied, so it has to
 * be applied at once.
 */
export interface PolicyChanges {
  /** Everything there is: what the receiver has from before is void. */
  readonly isWhole: boolean;
  /** Whether any policy exists in the cluster, also one that selects no pod of this node. */
  readonly hasPolicies: boolean;
  readonly sets: ReadonlyMap<SetId, SetChange>;
  /** By key; undefined for a policy that is gone or selects no pod of this node any more. */
  readonly policies: ReadonlyMap<string, ResolvedPolicy | undefined>;
  /** By key; undefined for a pod that is gone, or has no address any more. */
  readonly pods: ReadonlyMap<string, ResolvedPod | undefined>;
}
