import type { LabelSelectorObject } from '../../api/client.ts';

/** A protocol that has ports. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** Pods by namespace and labels; both must fit. */
export interface PodSelection {
  /** The name of their namespace. */
  readonly namespace?: string;
  /** The labels of their namespace, where no name is given; default all namespaces. */
  readonly namespaceSelector?: LabelSelectorObject;
  /** The labels of the pods; default all pods. */
  readonly podSelector?: LabelSelectorObject;
}

/** Addresses by range. */
export interface AddressBlocks {
  /** `10.1.0.0/16`, `fd00:1::/48` */
  readonly cidrs: readonly string[];
  /** Ranges that are left out. */
  readonly except?: readonly string[];
}

/** The other end of a connection. */
export type PeerStatement = PodSelection | AddressBlocks;

/** A port of the pod that a connection leads to. */
export interface PortStatement {
  readonly protocol: Protocol;
  /** A number, or a name that each pod gives to a port of its own; default all ports of the protocol. */
  readonly port?: number | string;
  /** The last port of a range that begins at `port`, which is a number then. */
  readonly endPort?: number;
}

/**
 * What becomes of a connection that matches: it is allowed, it is denied, or the policies of the next tier decide. A connection that has
 * passed the last tier is allowed.
 */
export type RuleAction = 'allow' | 'deny' | 'pass';

/** Which connections it is about: peer and port must fit. */
export interface RuleStatement {
  /** Default `allow`. */
  readonly action?: RuleAction;
  /** Default all; an empty list matches nothing. */
  readonly peers?: readonly PeerStatement[];
  /** Default all ports of all protocols, ICMP included; an empty list matches nothing. */
  readonly ports?: readonly PortStatement[];
}

/**
 * A policy in the form that an engine resolves, whatever kind of object it comes from.
 *
 * Tiers are asked in ascending order. In a tier the rules of all policies that select the pod are asked, in the order of the policies, and
 * the first one that matches decides. Where none matches, a tier with a policy for the pod denies the connection.
 *
 * Example: a NetworkPolicy has rules that allow, in the only tier, so the order does not matter.
 */
export interface PolicyStatement {
  /** Unique in an engine. */
  readonly key: string;
  /** The pods that the policy is about. */
  readonly subject: PodSelection;
  /** Default 0. */
  readonly tier?: number;
  /** The order among the policies of the tier; default 0. Policies of the same order are in the order of their keys. */
  readonly order?: number;
  /** Connections to the pods; absent for a policy that does not isolate them in this direction. */
  readonly ingress?: readonly RuleStatement[];
  /** Connections from the pods; absent for a policy that does not isolate them in this direction. */
  readonly egress?: readonly RuleStatement[];
}
