import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { nodeNetwork } from '../api/meaning/index.ts';
import type { Node, Pod } from '../api/types/core/v1.d.ts';
import type { ObjectIndex, ServerObjects } from '../apiserver/index.ts';
import type { DialAddress, Dialer } from '../wire/http/index.ts';
import { failedDial, type LocalNodes, refusedDial } from './local-nodes.ts';
import { routeProblem } from './network-route.ts';
import { rangeKey, rangeKeysOf } from './pod-ranges.ts';

/**
 * How the server reaches the addresses that objects name: webhooks, other API servers, pods and services.
 *
 * Addresses of pods are dialled where their node says that they are on a network, and are refused with the reason when this machine has no
 * route to it. Other pods are reached through their node if it runs in this process, and are refused if it does not: their addresses may
 * belong to a machine that has nothing to do with the cluster.
 */
export class PodRoutes implements Dialer {
  readonly #objects: ServerObjects;
  readonly #local: LocalNodes;
  readonly #routeProblem: typeof routeProblem;
  #ranges: ObjectIndex<Node> | undefined;

  constructor(
    objects: ServerObjects,
    local: LocalNodes,
    options: { readonly routeProblem?: typeof routeProblem } = {},
  ) {
    this.#objects = objects;
    this.#local = local;
    this.#routeProblem = options.routeProblem ?? routeProblem;
  }

  /** The `name` of an address is `namespace/name` of a pod. */
  async routeTo(address: DialAddress): Promise<(() => Duplex) | undefined> {
    const node = (await this.#nodeOfPod(address.name)) ?? this.#nodeOfRange(address.host);
    if (node === undefined) return undefined;
    const isLocal = this.#local.has(node);
    if (isLocal ? this.#local.hasPodNetwork(node) : await this.#hasPodNetwork(node)) {
      await this.#checkRoute(address, node);
      return undefined;
    }
    if (isLocal) return this.#local.portOf(node, address);
    throw refusedDial(address, `it is the address of a simulated pod on node "${node}", which runs in another process`);
  }

  async #checkRoute(address: DialAddress, node: string): Promise<void> {
    if (isIP(address.host) === 0) return;
    const problem = await this.#routeProblem(address.host);
    if (problem === undefined) return;
    const pod = address.name === undefined ? 'a pod' : `pod "${address.name}"`;
    const reason = `it is the address of ${pod} on node "${node}", and this API server has no route to the network of its pods`;
    throw failedDial(address, `${problem}: ${reason}`);
  }

  async #nodeOfPod(key: string | undefined): Promise<string | undefined> {
    if (key === undefined) return undefined;
    const [namespace = '', name = ''] = key.split('/');
    const pod = await this.#objects.of<Pod>('', 'pods').get(namespace, name);
    return pod?.spec?.nodeName;
  }

  /** Nodes that have a network for pods are not searched. */
  #nodeOfRange(host: string): string | undefined {
    const keys = rangeKeysOf(host);
    if (keys.length === 0) return undefined;
    this.#ranges ??= this.#objects
      .of<Node>('', 'nodes')
      .index('simulated pod ranges', (node) =>
        nodeNetwork(node).hasPodNetwork ? [] : (node.spec?.podCIDRs ?? []).flatMap((cidr) => rangeKey(cidr) ?? []),
      );
    for (const key of keys) {
      const found = this.#local.nodeOfRange(key) ?? this.#ranges.get(key)[0]?.metadata?.name;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #hasPodNetwork(name: string): Promise<boolean> {
    const node = await this.#objects.of<Node>('', 'nodes').get('', name);
    return node === undefined || nodeNetwork(node).hasPodNetwork;
  }
}
