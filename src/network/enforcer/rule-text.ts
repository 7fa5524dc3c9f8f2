import type { FamilyBlocks, ResolvedPeer, ResolvedPort, ResolvedRule } from '../policies/index.ts';
import { FAMILIES, type Family, setName } from './nft-names.ts';

export type Direction = 'ingress' | 'egress';

export const DIRECTIONS: readonly Direction[] = ['ingress', 'egress'];

/** The rules of a policy in nft's syntax, one a line, where `verdict` says what to do. */
export function ruleTexts(
  rules: readonly ResolvedRule[],
  direction: Direction,
  verdict: (rule: ResolvedRule) => string,
): readonly string[] {
  return rules.flatMap((rule) => {
    const peers = rule.peers === undefined ? [ANY] : rule.peers.flatMap((peer) => peerMatches(peer, direction));
    const ports = rule.ports === undefined ? [ANY] : rule.ports.flatMap((port) => portMatches(port, direction));
    const matches = peers.flatMap((peer) => ports.flatMap((port) => together(peer, port)));
    return matches.map((text) => [text, verdict(rule)].join(' ').trim());
  });
}

/** A condition, and the IP family that it is limited to. */
interface Match {
  readonly family: Family | undefined;
  readonly text: string;
}

const ANY: Match = { family: undefined, text: '' };
const KEYWORDS: Readonly<Record<Family, string>> = { ipv4: 'ip', ipv6: 'ip6' };

/** Both conditions as one; none where they are about different families. */
function together(left: Match, right: Match): readonly string[] {
  if (left.family !== undefined && right.family !== undefined && left.family !== right.family) return [];
  return [`${left.text} ${right.text}`.trim()];
}

/**
 * Addresses are those of the connection and not of the packet, so that a rule fits the packets of both directions: the source is what the
 * first packet came with, and the destination is what answers, after a Service's address was translated.
 */
export function sourceAddress(family: Family): string {
  return `ct original ${KEYWORDS[family]} saddr`;
}

export function destinationAddress(family: Family): string {
  return `ct reply ${KEYWORDS[family]} saddr`;
}

function peerMatches(peer: ResolvedPeer, direction: Direction): readonly Match[] {
  return FAMILIES.flatMap((family) => {
    const address = direction === 'ingress' ? sourceAddress(family) : destinationAddress(family);
    if (peer.type === 'pods') return [{ family, text: `${address} @${setName(peer.set, family)}` }];
    const text = blockMatch(address, peer.blocks[family], family);
    return text === undefined ? [] : [{ family, text }];
  });
}

/** Undefined where the ranges contain no address of the family. */
function blockMatch(address: string, { cidrs, except }: FamilyBlocks, family: Family): string | undefined {
  if (cidrs.length === 0 || except.some(isEverything)) return undefined;
  const inside = cidrs.some(isEverything) ? `meta nfproto ${family}` : `${address} ${listText(cidrs)}`;
  return except.length === 0 ? inside : `${inside} ${address} != ${listText(except)}`;
}

function isEverything(cidr: string): boolean {
  return cidr.endsWith('/0');
}

function listText(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : `{ ${values.join(', ')} }`;
}

const MAX_PORT = 65_535;

/**
 * The port is the one of the pod behind a Service. A program of the node itself behind a Service, such as a name server, is also found by the
 * port of the Service: policies are written for pods, and the port that such a program happens to have is not known to their authors.
 */
function portMatches({ protocol, first, last, destinations }: ResolvedPort, direction: Direction): readonly Match[] {
  const ofProtocol = `meta l4proto ${protocol.toLowerCase()}`;
  const numbers = first === last ? String(first) : `${first}-${last}`;
  const isAll = first === 0 && last === MAX_PORT;
  const text = isAll ? ofProtocol : `${ofProtocol} ct reply proto-src ${numbers}`;
  if (destinations === undefined) {
    const ofService = `${ofProtocol} fib daddr type local ct original proto-dst ${numbers}`;
    const isBoth = direction === 'egress' && !isAll;
    return [{ family: undefined, text }, ...(isBoth ? [{ family: undefined, text: ofService }] : [])];
  }
  return FAMILIES.map((family) => ({
    family,
    text: `${text} ${destinationAddress(family)} @${setName(destinations, family)}`,
  }));
}
