import { isInBlocks } from './address-blocks.ts';
import type { PolicyState } from './policy-state.ts';
import type { Protocol } from './policy-statement.ts';
import type { PolicyTier, ResolvedPeer, ResolvedPod, ResolvedRule } from './resolved-policy.ts';

/** A connection, by the addresses that it really has: after translation of Services' addresses, before that of its source. */
export interface Connection {
  readonly source: string;
  readonly destination: string;
  /** Other protocols, such as ICMP, have no port and match only rules for all ports. */
  readonly protocol: Protocol | 'other';
  readonly port: number;
}

/** Whether the node lets a connection pass: the policies of the pod it comes from and of the pod it leads to, as far as they are pods of the node. */
export function isAllowed(state: PolicyState, connection: Connection): boolean {
  const { source, destination } = connection;
  if (source === destination) return true;
  const podAt = (address: string): ResolvedPod | undefined =>
    [...state.pods.values()].find(({ addresses }) => addresses.includes(address));
  return (
    passes(state, connection, { direction: 'egress', tiers: podAt(source)?.egress ?? [] }) &&
    passes(state, connection, { direction: 'ingress', tiers: podAt(destination)?.ingress ?? [] })
  );
}

interface Side {
  readonly direction: 'ingress' | 'egress';
  readonly tiers: readonly PolicyTier[];
}

function passes(state: PolicyState, connection: Connection, { direction, tiers }: Side): boolean {
  const peer = direction === 'ingress' ? connection.source : connection.destination;
  for (const tier of tiers) {
    const rules = tier.flatMap((key) => state.policies.get(key)?.[direction] ?? []);
    const rule = rules.find((each) => hasPeer(state, each.peers, peer) && hasPort(state, each, connection));
    if (rule?.action === 'allow') return true;
    if (rule?.action !== 'pass') return false;
  }
  return true;
}

function hasPeer(state: PolicyState, peers: readonly ResolvedPeer[] | undefined, address: string): boolean {
  if (peers === undefined) return true;
  return peers.some((peer) => {
    if (peer.type === 'pods') return state.sets.get(peer.set)?.has(address) ?? false;
    const { cidrs, except } = address.includes(':') ? peer.blocks.ipv6 : peer.blocks.ipv4;
    return isInBlocks(address, cidrs) && !isInBlocks(address, except);
  });
}

function hasPort(state: PolicyState, { ports }: ResolvedRule, { protocol, port, destination }: Connection): boolean {
  if (ports === undefined) return true;
  return ports.some(
    ({ protocol: wanted, first, last, destinations }) =>
      wanted === protocol &&
      first <= port &&
      port <= last &&
      (destinations === undefined || (state.sets.get(destinations)?.has(destination) ?? false)),
  );
}
