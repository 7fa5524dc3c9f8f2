import { createHash } from 'node:crypto';
import type { OwnedContent, OwnedElement } from '../nftables/owned-table.ts';
import { isExternal, type ProxiedPort, type ServiceEndpoint } from '../services/index.ts';
import { CONTAINERS, REJECT_CHAIN } from './base-rules.ts';
import { localMatch, masqueradeRule, type RuleSettings, wordsOf } from './rule-settings.ts';
import { isInRange, withoutContained } from './address-ranges.ts';

/** Chains' names may have 255 bytes; nft needs some of them when it makes others from them. */
const MAX_NAME = 240;
/** Endpoints that are tried in turn; more of them are looked up in a map. */
const MAX_IN_TURN = 32;
/** Clients that one endpoint remembers; further ones are sent to any endpoint. */
const MAX_AFFINE_CLIENTS = 262_144;

const DROP = 'drop';
const REJECT = `goto ${REJECT_CHAIN}`;

/**
 * The rules of one port of a Service.
 *
 * Example: a ClusterIP with two endpoints is an element `10.96.0.1 . tcp . 80 : goto service-default/web/tcp/http` of a map, and a chain
 * with one rule, which picks one of the two.
 */
export function portRules(port: ProxiedPort, settings: RuleSettings): OwnedContent {
  const { endpoints, internalPolicy, externalPolicy } = port;
  const names = chainNames(port);
  const hasInternal = endpoints.hasAny && (internalPolicy === 'Cluster' || endpoints.local.length > 0);
  const hasExternal = endpoints.hasAny && (externalPolicy === 'Cluster' || endpoints.local.length > 0);
  const usesExternalChain = endpoints.hasAny && isExternal(port);
  const usesFirewall = port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;
  return {
    elements: [
      ...clusterIpElements(port, { hasInternal, names }),
      ...externalElements(port, { hasExternal, names }),
      ...(usesFirewall ? port.loadBalancerIps : []).map((address) =>
        element(CONTAINERS.firewallIps, placeKey(port, address), `goto ${names.firewall}`),
      ),
      ...hairpinElements(port),
    ],
    sets: affinitySets(port, settings),
    chains: new Map<string, readonly string[]>([
      ...endpointChains(port, settings),
      ...pickChain(names.cluster, endpoints.cluster, { port, settings }),
      ...pickChain(names.local, endpoints.local, { port, settings }),
      ...(usesFirewall ? [[names.firewall, [firewallRule(port, settings)]] as const] : []),
      ...(usesExternalChain ? [[names.external, externalRules(port, { settings, hasExternal, names })] as const] : []),
    ]),
  };
}

interface ChainNames {
  /** Picks one of the endpoints for policy Cluster. */
  readonly cluster: string;
  /** Picks one of the endpoints on this node. */
  readonly local: string;
  /** Traffic to anything but the cluster IP. */
  readonly external: string;
  readonly firewall: string;
}

function chainNames(port: ProxiedPort): ChainNames {
  return {
    cluster: chainName('service', port),
    local: chainName('local', port),
    external: chainName('external', port),
    firewall: chainName('firewall', port),
  };
}

/** `service-default/web/tcp/http`. Names have no slash, so that no two ports have the same. */
function chainName(kind: string, port: ProxiedPort, endpoint?: ServiceEndpoint): string {
  const { namespace, service, portName } = port;
  const where = endpoint === undefined ? '' : `__${endpoint.address.replaceAll(':', '.')}/${endpoint.port}`;
  const name = `${kind}-${namespace}/${service}/${protocolOf(port)}/${portName}${where}`;
  if (name.length <= MAX_NAME) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${kind}-${digest}/${name.slice(kind.length + 1, MAX_NAME - 17)}`;
}

function protocolOf({ protocol }: ProxiedPort): string {
  return protocol.toLowerCase();
}

function element(container: string, key: string, value?: string): OwnedElement {
  return { container, key, value };
}

function placeKey(port: ProxiedPort, address: string): string {
  return `${address} . ${protocolOf(port)} . ${port.port}`;
}

function clusterIpElements(
  port: ProxiedPort,
  { hasInternal, names }: { readonly hasInternal: boolean; readonly names: ChainNames },
): readonly OwnedElement[] {
  const key = placeKey(port, port.clusterIp);
  const chain = port.internalPolicy === 'Local' ? names.local : names.cluster;
  return [
    element(CONTAINERS.clusterIps, port.clusterIp),
    hasInternal
      ? element(CONTAINERS.serviceIps, key, `goto ${chain}`)
      : element(CONTAINERS.noEndpointIps, key, port.endpoints.hasAny ? DROP : REJECT),
  ];
}

/**
 * External addresses and the node port. Without endpoints for them, they are refused; with endpoints on other nodes only and policy
 * Local, traffic from outside is dropped, and what comes from this node goes on.
 */
function externalElements(
  port: ProxiedPort,
  { hasExternal, names }: { readonly hasExternal: boolean; readonly names: ChainNames },
): readonly OwnedElement[] {
  const { hasAny } = port.endpoints;
  const found: OwnedElement[] = [];
  for (const address of new Set([...port.externalIps, ...port.loadBalancerIps])) {
    const key = placeKey(port, address);
    if (hasAny) found.push(element(CONTAINERS.serviceIps, key, `goto ${names.external}`));
    if (!hasExternal) found.push(element(CONTAINERS.noEndpointIps, key, hasAny ? DROP : REJECT));
  }
  if (port.nodePort === undefined) return found;
  const key = `${protocolOf(port)} . ${port.nodePort}`;
  if (hasAny) found.push(element(CONTAINERS.nodePorts, key, `goto ${names.external}`));
  if (!hasExternal) found.push(element(CONTAINERS.noEndpointNodePorts, key, hasAny ? DROP : REJECT));
  return found;
}

/** An endpoint of this node that reaches itself would see its own address as source, and answer past this node. */
function hairpinElements(port: ProxiedPort): readonly OwnedElement[] {
  return port.endpoints.reachable
    .filter(({ isLocal }) => isLocal)
    .map(({ address, port: number }) =>
      element(CONTAINERS.hairpins, `${address} . ${address} . ${protocolOf(port)} . ${number}`),
    );
}

interface ChainContext {
  readonly port: ProxiedPort;
  readonly settings: RuleSettings;
}

/** The chain that picks one of some endpoints; none where there are none. */
function pickChain(
  name: string,
  endpoints: readonly ServiceEndpoint[],
  { port, settings }: ChainContext,
): readonly (readonly [string, readonly string[]])[] {
  if (endpoints.length === 0) return [];
  const { ip } = wordsOf(settings.family);
  const l4 = `meta l4proto ${protocolOf(port)}`;
  if (port.affinitySeconds === undefined) {
    if (endpoints.length <= MAX_IN_TURN)
      return [[name, inTurn(endpoints, (endpoint) => `dnat to ${dnatPlace(endpoint)}`).map((rule) => `${l4} ${rule}`)]];
    const places = endpoints.map(({ address, port: number }, at) => `${at} : ${address} . ${number}`);
    const pick = `numgen random mod ${endpoints.length} map { ${places.join(', ')} }`;
    return [[name, [`${l4} dnat ${ip} addr . port to ${pick}`]]];
  }
  const chainOf = (endpoint: ServiceEndpoint): string => `goto ${chainName('endpoint', port, endpoint)}`;
  const known = endpoints.map((endpoint) => `${ip} saddr @${affinitySet(port, endpoint)} ${chainOf(endpoint)}`);
  if (endpoints.length <= MAX_IN_TURN) return [[name, [...known, ...inTurn(endpoints, chainOf)]]];
  const choices = endpoints.map((endpoint, at) => `${at} : ${chainOf(endpoint)}`);
  return [[name, [...known, `numgen random mod ${endpoints.length} vmap { ${choices.join(', ')} }`]]];
}

/**
 * Rules of which one, any with the same chance, does something: the first of four is taken in one of four cases, the second in one of
 * three of the others. A map would be one rule, but the kernel goes through all maps of a table to name another one, which takes seconds
 * for ten thousand.
 */
function inTurn(
  endpoints: readonly ServiceEndpoint[],
  actionOf: (endpoint: ServiceEndpoint) => string,
): readonly string[] {
  return endpoints.map((endpoint, at) => {
    const left = endpoints.length - at;
    return left === 1 ? actionOf(endpoint) : `numgen random mod ${left} 0 ${actionOf(endpoint)}`;
  });
}

/** With session affinity, each endpoint has a chain that remembers the client, and a set of clients. */
function endpointChains(
  port: ProxiedPort,
  { family }: RuleSettings,
): readonly (readonly [string, readonly string[]])[] {
  const { affinitySeconds, endpoints } = port;
  if (affinitySeconds === undefined) return [];
  const { ip } = wordsOf(family);
  return endpoints.reachable.map((endpoint) => [
    chainName('endpoint', port, endpoint),
    [
      `update @${affinitySet(port, endpoint)} { ${ip} saddr timeout ${affinitySeconds}s }`,
      `meta l4proto ${protocolOf(port)} dnat to ${dnatPlace(endpoint)}`,
    ],
  ]);
}

function affinitySets(port: ProxiedPort, { family }: RuleSettings): ReadonlyMap<string, string> {
  if (port.affinitySeconds === undefined) return new Map();
  const definition = `{ type ${wordsOf(family).address} ; size ${MAX_AFFINE_CLIENTS} ; flags dynamic,timeout ; }`;
  return new Map(port.endpoints.reachable.map((endpoint) => [affinitySet(port, endpoint), definition]));
}

function affinitySet(port: ProxiedPort, endpoint: ServiceEndpoint): string {
  return chainName('affinity', port, endpoint);
}

function dnatPlace({ address, port }: ServiceEndpoint): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/**
 * What becomes of traffic to anything but the cluster IP. By policy Cluster it may go to another node, so its source is translated. By
 * policy Local it keeps its source; pods and programs of this node are not subject to the policy, as if they had come by way of the load
 * balancer.
 */
function externalRules(
  port: ProxiedPort,
  {
    settings,
    hasExternal,
    names,
  }: { readonly settings: RuleSettings; readonly hasExternal: boolean; readonly names: ChainNames },
): readonly string[] {
  if (port.externalPolicy === 'Cluster')
    return [masqueradeRule(settings), ...(hasExternal ? [`goto ${names.cluster}`] : [])];
  const isLocalPod = localMatch(settings, true);
  return [
    ...(isLocalPod === undefined ? [] : [`${isLocalPod} goto ${names.cluster}`]),
    `fib saddr type local ${masqueradeRule(settings)}`,
    `fib saddr type local goto ${names.cluster}`,
    ...(hasExternal ? [`goto ${names.local}`] : []),
  ];
}

/**
 * Only some sources may reach the addresses of load balancers. Where the node may, so may the addresses themselves: a load balancer
 * that adds its address to the node makes it the source of the node's own connections.
 */
function firewallRule({ sourceRanges, loadBalancerIps }: ProxiedPort, { family, nodeAddress }: RuleSettings): string {
  const isNodeAllowed = nodeAddress !== undefined && sourceRanges.some((range) => isInRange(nodeAddress, range));
  const sources = withoutContained([...sourceRanges, ...(isNodeAllowed ? loadBalancerIps : [])]);
  return `${wordsOf(family).ip} saddr != { ${sources.join(', ')} } drop`;
}
