import { comment, FAMILIES, type Family, TYPES } from './nft-names.ts';
import { destinationAddress, type Direction, DIRECTIONS, sourceAddress } from './rule-text.ts';
import type { TableText } from './table-text.ts';

/** How IPv6 finds neighbours and routers: without it there is no connection that a policy could be about. */
const NEIGHBOURS =
  'icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept';
/** Errors about a connection, such as "too big". */
const ERRORS = 'ct state related meta l4proto { icmp, ipv6-icmp } accept';
/** Packets that belong to no connection are judged by their own addresses, and match only rules for everything. */
const NO_CONNECTION = 'ct state { invalid, untracked }';

/** What a table has whatever the policies are: its maps and sets, empty, and the way of packets through it. */
export function skeletonLines(text: TableText): readonly string[] {
  const lines: string[] = [text.creation(comment('policies of pods on this node'))];
  for (const family of FAMILIES) {
    const type = TYPES[family];
    lines.push(`add set ${text.at(`known-${family}`)} { type ${type}; ${comment('addresses of pods')}; }`);
    lines.push(
      `add set ${text.at(`ranges-${family}`)} { type ${type}; flags interval; ${comment('pods of the node')}; }`,
    );
    lines.push(`add set ${text.at(`self-${family}`)} { type ${type} . ${type}; ${comment('a pod and itself')}; }`);
    for (const direction of DIRECTIONS)
      lines.push(
        `add map ${text.at(`${direction}-${family}`)} { type ${type} : verdict; ${comment('isolated pods')}; }`,
      );
  }
  lines.push(
    `add chain ${text.at('denied')}`,
    ...FAMILIES.map((each) =>
      text.rule('denied', `${sourceAddress(each)} . ${destinationAddress(each)} @self-${each} accept`),
    ),
    text.rule('denied', 'counter drop'),
    ...DIRECTIONS.flatMap((direction) => directionLines(direction, text)),
    `add chain ${text.at('forward-egress')} { type filter hook forward priority filter; policy accept; }`,
    text.rule('forward-egress', 'jump egress'),
    `add chain ${text.at('forward-ingress')} { type filter hook forward priority filter + 1; policy accept; }`,
    text.rule('forward-ingress', 'jump ingress'),
    `add chain ${text.at('input-egress')} { type filter hook input priority filter; policy accept; }`,
    text.rule('input-egress', 'iifname "lo" accept'),
    text.rule('input-egress', 'ct direction reply accept'), // the node has opened the connection
    text.rule('input-egress', 'jump egress'),
  );
  return lines;
}

/** What happens to packets in one direction: the policies of the isolated pod, and nothing else for pods that are known. */
function directionLines(direction: Direction, text: TableText): readonly string[] {
  const ofConnection = direction === 'ingress' ? destinationAddress : sourceAddress;
  const ofPacket = (family: Family): string =>
    `${family === 'ipv4' ? 'ip' : 'ip6'} ${direction === 'ingress' ? 'daddr' : 'saddr'}`;
  const unknown = (address: string, family: Family): string =>
    `${address} @ranges-${family} ${address} != @known-${family} drop`;
  return [
    `add chain ${text.at(direction)}`,
    text.rule(direction, NEIGHBOURS),
    text.rule(direction, ERRORS),
    ...FAMILIES.flatMap((family) => [
      text.rule(direction, `${ofConnection(family)} vmap @${direction}-${family}`),
      text.rule(direction, unknown(ofConnection(family), family)),
      text.rule(direction, `${NO_CONNECTION} ${ofPacket(family)} vmap @${direction}-${family}`),
      text.rule(direction, `${NO_CONNECTION} ${unknown(ofPacket(family), family)}`),
    ]),
  ];
}
