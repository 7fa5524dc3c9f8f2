import type { SharedContainer } from '../nftables/owned-table.ts';
import { localMatch, markText, masqueradeRule, type RuleSettings, TABLE, wordsOf } from './rule-settings.ts';

/** Sets and maps whose elements are stated by ports. */
export const CONTAINERS = {
  /** Cluster IPs of all ports. */
  clusterIps: 'cluster-ips',
  /** Address, protocol and port to what becomes of a connection. */
  serviceIps: 'service-ips',
  /** Protocol and node port to the same. */
  nodePorts: 'service-nodeports',
  /** Addresses whose sources are limited. */
  firewallIps: 'firewall-ips',
  /** Addresses and node ports that are refused or dropped, for they have no endpoints. */
  noEndpointIps: 'no-endpoint-services',
  noEndpointNodePorts: 'no-endpoint-nodeports',
  /** Connections of endpoints to themselves: source, destination, protocol, port. */
  hairpins: 'hairpin-connections',
} as const;

/** The same, as sets and maps. */
export const SHARED_CONTAINERS: readonly SharedContainer[] = Object.values(CONTAINERS).map((name) => ({
  name,
  type: name === CONTAINERS.clusterIps || name === CONTAINERS.hairpins ? 'set' : 'map',
}));

export const REJECT_CHAIN = 'reject-chain';

interface BaseChain {
  readonly name: string;
  readonly type: 'filter' | 'nat';
  readonly hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';
  readonly priority: number;
}

// Numbers and not names: dstnat is -100 and srcnat is 100, but nft knows the names in some hooks only.
const BASE_CHAINS: readonly BaseChain[] = [
  { name: 'filter-prerouting-pre-dnat', type: 'filter', hook: 'prerouting', priority: -110 },
  { name: 'filter-output-pre-dnat', type: 'filter', hook: 'output', priority: -110 },
  { name: 'filter-input', type: 'filter', hook: 'input', priority: 0 },
  { name: 'filter-forward', type: 'filter', hook: 'forward', priority: 0 },
  { name: 'filter-output', type: 'filter', hook: 'output', priority: 0 },
  { name: 'nat-prerouting', type: 'nat', hook: 'prerouting', priority: -100 },
  { name: 'nat-output', type: 'nat', hook: 'output', priority: -100 },
  { name: 'nat-postrouting', type: 'nat', hook: 'postrouting', priority: 100 },
];

/** Chains that base chains jump to, by the base chain. */
const JUMPS: Readonly<Record<string, readonly string[]>> = {
  'filter-prerouting-pre-dnat': ['ct state new jump firewall-check'],
  'filter-output-pre-dnat': ['ct state new jump firewall-check'],
  'filter-input': ['ct state new jump nodeport-endpoints-check', 'ct state new jump service-endpoints-check'],
  'filter-forward': ['ct state new jump service-endpoints-check', 'ct state new jump cluster-ips-check'],
  'filter-output': ['ct state new jump service-endpoints-check', 'ct state new jump cluster-ips-check'],
  'nat-prerouting': ['jump services'],
  'nat-output': ['jump services'],
  'nat-postrouting': ['jump masquerading'],
};

/** The chain whose rules are counted when the table is checked. */
export const CHECKED_CHAIN = 'services';

/** The rules that are there whatever Services there are: by chain, those that are jumped to first. */
export function baseChains(settings: RuleSettings): ReadonlyMap<string, readonly string[]> {
  const { ip } = wordsOf(settings.family);
  const destination = `${ip} daddr . meta l4proto . th dport`;
  return new Map<string, readonly string[]>([
    [REJECT_CHAIN, ['reject']],
    ['firewall-check', [`${destination} vmap @${CONTAINERS.firewallIps}`]],
    ['service-endpoints-check', [`${destination} vmap @${CONTAINERS.noEndpointIps}`]],
    [
      'nodeport-endpoints-check',
      [`${nodePortMatch(settings)} meta l4proto . th dport vmap @${CONTAINERS.noEndpointNodePorts}`],
    ],
    ['cluster-ips-check', clusterIpChecks(settings)],
    [
      'services',
      [
        ...clusterIpMasquerade(settings),
        `${destination} vmap @${CONTAINERS.serviceIps}`,
        `${settings.nodePortAddresses === 'all' ? 'fib daddr type local ' : ''}${nodePortMatch(settings)} meta l4proto . th dport vmap @${CONTAINERS.nodePorts}`,
      ],
    ],
    ['masquerading', masqueradeChain(settings)],
  ]);
}

/** The commands that declare the table with its sets, maps and base chains; they may be there already. */
export function declareBase({ family, nodePortAddresses }: RuleSettings): readonly string[] {
  const { ip, address } = wordsOf(family);
  const table = `${ip} ${TABLE}`;
  const place = `${address} . inet_proto . inet_service`;
  const map = (name: string, key: string): string => `add map ${table} ${name} { type ${key} : verdict ; }`;
  return [
    `add table ${table}`,
    `add set ${table} ${CONTAINERS.clusterIps} { type ${address} ; }`,
    `add set ${table} ${CONTAINERS.hairpins} { type ${address} . ${place} ; }`,
    map(CONTAINERS.serviceIps, place),
    map(CONTAINERS.nodePorts, 'inet_proto . inet_service'),
    map(CONTAINERS.firewallIps, place),
    map(CONTAINERS.noEndpointIps, place),
    map(CONTAINERS.noEndpointNodePorts, 'inet_proto . inet_service'),
    `add set ${table} ${NODE_PORT_IPS} { type ${address} ; }`,
    `flush set ${table} ${NODE_PORT_IPS}`,
    ...(nodePortAddresses === 'all' || nodePortAddresses.length === 0
      ? []
      : [`add element ${table} ${NODE_PORT_IPS} { ${nodePortAddresses.join(', ')} }`]),
  ];
}

/** The base chains with their hooks; their rules are jumps. */
export function hookedChains({ family }: RuleSettings): readonly string[] {
  const table = `${wordsOf(family).ip} ${TABLE}`;
  return BASE_CHAINS.flatMap(({ name, type, hook, priority }) => [
    `add chain ${table} ${name} { type ${type} hook ${hook} priority ${priority} ; }`,
    `flush chain ${table} ${name}`,
    ...(JUMPS[name] ?? []).map((rule) => `add rule ${table} ${name} ${rule}`),
  ]);
}

const NODE_PORT_IPS = 'nodeport-ips';

/** Node ports are never served on loopback addresses. */
function nodePortMatch({ family, nodePortAddresses }: RuleSettings): string {
  if (nodePortAddresses !== 'all') return `${wordsOf(family).ip} daddr @${NODE_PORT_IPS}`;
  return family === 'IPv4' ? 'ip daddr != 127.0.0.0/8' : 'ip6 daddr != ::1';
}

function clusterIpChecks({ family, serviceCidrs }: RuleSettings): readonly string[] {
  const { ip } = wordsOf(family);
  return [
    `${ip} daddr @${CONTAINERS.clusterIps} reject comment "no such port of a Service"`,
    ...(serviceCidrs.length === 0
      ? []
      : [`${ip} daddr { ${serviceCidrs.join(', ')} } drop comment "no Service has the address"`]),
  ];
}

/** Traffic to cluster IPs from outside may leave for another node, and its answer has to come back here. */
function clusterIpMasquerade(settings: RuleSettings): readonly string[] {
  const isClusterIp = `${wordsOf(settings.family).ip} daddr @${CONTAINERS.clusterIps}`;
  if (settings.masqueradeAll) return [`${isClusterIp} ${masqueradeRule(settings)}`];
  const isNotLocal = localMatch(settings, false);
  return isNotLocal === undefined ? [] : [`${isClusterIp} ${isNotLocal} ${masqueradeRule(settings)}`];
}

function masqueradeChain(settings: RuleSettings): readonly string[] {
  const { ip } = wordsOf(settings.family);
  const mark = markText(settings);
  return [
    `mark and ${mark} != 0 mark set mark xor ${mark} masquerade fully-random`,
    `ct status dnat ${ip} saddr . ${ip} daddr . meta l4proto . th dport @${CONTAINERS.hairpins} masquerade fully-random`,
  ];
}
