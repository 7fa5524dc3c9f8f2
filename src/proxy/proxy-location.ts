import { BlockList, isIP } from 'node:net';
import { badRequest, notFound, serviceUnavailable } from '../api/index.ts';
import type { EndpointAddress, Endpoints, Pod, Service } from '../api/types/core/v1.d.ts';
import type { ServerObjects } from '../apiserver/index.ts';
import type { Random } from '../base/index.ts';
import type { LocalConnections } from './local-connections.ts';
import { readProxyName } from './proxy-name.ts';

/** Where to send a proxied request. */
export interface ProxyLocation {
  readonly scheme: 'http' | 'https';
  /** An IP address or host name. */
  readonly host: string;
  /** A number or a name; empty for the scheme's default port. */
  readonly port: string;
  readonly pod: Pod;
}

interface ProxyTarget {
  readonly namespace: string;
  /** As `readProxyName` reads it. */
  readonly name: string;
}

/** Finds the addresses of pods and services. Errors have upstream's texts. */
export class ProxyLocations {
  readonly #objects: ServerObjects;
  readonly #random: Random;
  readonly #local: Pick<LocalConnections, 'isPodAddress'>;

  /** Nodes of this process may give loopback addresses to pods. */
  constructor(objects: ServerObjects, random: Random, local: Pick<LocalConnections, 'isPodAddress'>) {
    this.#objects = objects;
    this.#random = random;
    this.#local = local;
  }

  /** The pod's address; default port: the first one that its containers declare. */
  async ofPod(target: ProxyTarget): Promise<ProxyLocation> {
    const asked = readProxyName(target.name);
    if (asked === undefined) throw badRequest(`invalid pod request ${JSON.stringify(target.name)}`);
    const pod = await this.#objects.of<Pod>('', 'pods').newest(target.namespace, asked.name);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, asked.name);
    const declared = pod.spec?.containers?.flatMap(({ ports }) => ports ?? []).at(0)?.containerPort;
    const host = pod.status?.podIPs?.[0]?.ip ?? '';
    if (!isProxyable(host) && !(await this.#isGiven(pod, host))) throw badRequest('address not allowed');
    return { scheme: asked.scheme, host, port: asked.port === '' ? String(declared ?? '') : asked.port, pod };
  }

  /** A ready endpoint of the service, chosen at random; it must be a pod of the service's namespace. */
  async ofService({ namespace, name: text }: ProxyTarget): Promise<ProxyLocation> {
    const asked = readProxyName(text);
    if (asked === undefined) throw badRequest(`invalid service request ${JSON.stringify(text)}`);
    const { scheme, name } = asked;
    const portName = /^[+-]?\d+$/.test(asked.port)
      ? await this.#portName(namespace, name, Number(asked.port))
      : asked.port;
    const endpoints = await this.#objects.of<Endpoints>('', 'endpoints').newest(namespace, name);
    if (endpoints === undefined) throw notFound({ group: '', resource: 'services' }, name); // even if the service exists, as upstream
    const { subsets = [] } = endpoints;
    if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service "${name}"`);
    for (const { addresses = [], ports = [] } of this.#fromAnywhere(subsets)) {
      const port = ports.find((each) => (each.name ?? '') === portName)?.port;
      if (port === undefined) continue;
      for (const address of this.#fromAnywhere(addresses)) {
        const pod = await this.#podAt(namespace, address);
        if (pod !== undefined) return { scheme, host: address.ip, port: String(port), pod };
      }
    }
    throw serviceUnavailable(`no endpoints available for service "${text}"`);
  }

  /** Whether a node of this process has given the address to the pod; only the pod's status says so otherwise, which clients may write. */
  #isGiven({ metadata, spec }: Pod, address: string): Promise<boolean> {
    return this.#local.isPodAddress(spec?.nodeName ?? '', metadata?.uid ?? '', address);
  }

  async #portName(namespace: string, name: string, port: number): Promise<string> {
    const service = await this.#objects.of<Service>('', 'services').newest(namespace, name);
    if (service === undefined) throw notFound({ group: '', resource: 'services' }, name);
    const found = service.spec?.ports?.find((each) => each.port === port);
    if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service "${name}"`);
    return found.name ?? '';
  }

  /** Only pods count: a user who may write endpoints must not be able to make the API server send requests to other addresses. */
  async #podAt(namespace: string, { ip, targetRef }: EndpointAddress): Promise<Pod | undefined> {
    if (targetRef === undefined || targetRef.namespace !== namespace) return undefined;
    const pod = await this.#objects.of<Pod>('', 'pods').newest(namespace, targetRef.name ?? '');
    return pod?.status?.podIPs?.some((each) => each.ip === ip) === true ? pod : undefined;
  }

  #fromAnywhere<T>(items: readonly T[]): readonly T[] {
    const first = items.length === 0 ? 0 : this.#random.int(items.length);
    return [...items.slice(first), ...items.slice(0, first)];
  }
}

/**
 * Whether the API server may send proxied requests to the address: it is not a loopback, link-local, multicast, broadcast or unspecified
 * address.
 */
export function isProxyable(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !NOT_PROXYABLE.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

const NOT_PROXYABLE = new BlockList();
NOT_PROXYABLE.addSubnet('0.0.0.0', 32, 'ipv4');
NOT_PROXYABLE.addSubnet('127.0.0.0', 8, 'ipv4');
NOT_PROXYABLE.addSubnet('169.254.0.0', 16, 'ipv4');
NOT_PROXYABLE.addSubnet('224.0.0.0', 4, 'ipv4');
NOT_PROXYABLE.addAddress('255.255.255.255', 'ipv4');
NOT_PROXYABLE.addSubnet('::', 127, 'ipv6');
NOT_PROXYABLE.addSubnet('fe80::', 10, 'ipv6');
NOT_PROXYABLE.addSubnet('ff00::', 8, 'ipv6');
