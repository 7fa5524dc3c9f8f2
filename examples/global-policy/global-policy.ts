import { type App, app, type Objects, type ObjectOf, resource } from 'keelson';
import type { Observed } from 'keelson/client';
import {
  type PeerStatement,
  policyEnforcer,
  type PolicyFeed,
  type PolicyStatement,
  type RuleStatement,
} from 'keelson/network';
import { z } from 'zod';
import { AddressPool, PodAddress } from './address-kinds.ts';

const GROUP = 'policy.example.com/v1';
const CIDR = z.string().regex(/^[0-9a-fA-F.:]+\/\d+$/);
const Selector = z.object({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(
      z.object({
        key: z.string(),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});

/** When the policies of a tier are asked: those of the lowest order first. */
export const Tier = resource(GROUP, 'Tier', { scope: 'Cluster', spec: z.object({ order: z.int() }) });

/** Addresses with a name, for any number of policies. */
export const CidrSet = resource(GROUP, 'CidrSet', {
  scope: 'Cluster',
  spec: z.object({ cidrs: z.array(CIDR).max(10_000) }),
});

const Rule = z.object({
  action: z.enum(['Allow', 'Deny', 'Pass']),
  /** The other end: pods, ranges or a set of them; everything when it is left out. */
  peers: z
    .array(
      z.object({
        namespaceSelector: Selector.optional(),
        podSelector: Selector.optional(),
        cidrs: z.array(CIDR).optional(),
        cidrSet: z.string().optional(),
      }),
    )
    .optional(),
  ports: z
    .array(
      z.object({
        protocol: z.enum(['TCP', 'UDP', 'SCTP']).default('TCP'),
        port: z.int().min(1).max(65_535).optional(),
        endPort: z.int().min(1).max(65_535).optional(),
      }),
    )
    .optional(),
});

/** A policy for pods of all namespaces. The first rule that matches decides; what none matches is denied. */
export const GlobalPolicy = resource(GROUP, 'GlobalPolicy', {
  scope: 'Cluster',
  plural: 'globalpolicies',
  spec: z.object({
    tier: z.string(),
    /** Among the policies of its tier. */
    order: z.int().default(1000),
    namespaceSelector: Selector.optional(),
    podSelector: Selector.optional(),
    ingress: z.array(Rule).optional(),
    egress: z.array(Rule).optional(),
  }),
});

type Policy = Observed<ObjectOf<typeof GlobalPolicy>>;
type Rules = NonNullable<Policy['spec']['ingress']>;
type Peer = NonNullable<Rules[number]['peers']>[number];

interface Named {
  readonly tiers: Objects<ObjectOf<typeof Tier>>;
  readonly sets: Objects<ObjectOf<typeof CidrSet>>;
}

const ACTIONS = { Allow: 'allow', Deny: 'deny', Pass: 'pass' } as const;

/** What a GlobalPolicy says. One whose tier does not exist is asked after all others. */
function statementOf({ metadata, spec }: Policy, { tiers, sets }: Named): PolicyStatement {
  const peer = ({ cidrs, cidrSet, ...pods }: Peer): PeerStatement => {
    if (cidrs !== undefined) return { cidrs };
    return cidrSet === undefined ? pods : { cidrs: sets.get(cidrSet)?.spec.cidrs ?? [] };
  };
  const rules = (list: Rules): RuleStatement[] =>
    list.map(({ action, peers, ports }) => ({
      action: ACTIONS[action],
      ...(peers === undefined ? {} : { peers: peers.map(peer) }),
      ...(ports === undefined ? {} : { ports }),
    }));
  const { tier, order, ingress, egress, namespaceSelector, podSelector } = spec;
  return {
    key: metadata.name,
    tier: tiers.get(tier)?.spec.order ?? Number.MAX_SAFE_INTEGER,
    order,
    subject: { namespaceSelector, podSelector },
    ...(ingress === undefined ? {} : { ingress: rules(ingress) }),
    ...(egress === undefined ? {} : { egress: rules(egress) }),
  };
}

/** Feeds an engine with GlobalPolicies, and again when a tier or a set that they may name changes. */
export const globalPolicies: PolicyFeed = (context, sink) => {
  const policies = context.objects(GlobalPolicy);
  const named = { tiers: context.objects(Tier), sets: context.objects(CidrSet) };
  const set = (policy: Policy): void | Promise<void> => sink.set(statementOf(policy, named));
  const setAll = async (): Promise<void> => {
    for (const policy of policies.list()) await set(policy);
  };
  context.onChange(GlobalPolicy, { add: set, update: set, delete: ({ metadata }) => sink.delete(metadata.name) });
  context.onChange(Tier, { add: setAll, update: setAll, delete: setAll });
  context.onChange(CidrSet, { add: setAll, update: setAll, delete: setAll });
};

export interface GlobalPolicyOptions {
  /** The node that this runs on. */
  readonly node: string;
  /** The program that changes the packet filter; default `nft`, found in PATH. */
  readonly program?: string;
}

/**
 * The agent of one node. Its table stands beside the one of NetworkPolicies: a connection has to be allowed by both, so a GlobalPolicy that
 * allows one does not overrule a NetworkPolicy.
 */
export function globalPolicyAgent({ node, program }: GlobalPolicyOptions): App {
  const enforcer = policyEnforcer({
    node,
    policies: globalPolicies,
    table: 'global-policies',
    ...(program === undefined ? {} : { program }),
  });
  return app('global-policy', [enforcer], {
    resources: [Tier, CidrSet, GlobalPolicy, AddressPool, PodAddress],
    needs: ['tiers', 'cidrsets', 'globalpolicies'].map((plural) => ({
      group: 'policy.example.com',
      resource: plural,
      verbs: ['get', 'list', 'watch'],
    })),
  });
}
