import { BlockList, isIP } from 'node:net';
import { formatCidr, formatIp, parseCidr, parseIp } from '../../../api/values/index.ts';
import type { Clock, Logger, Random, Runnable } from '../../../base/index.ts';
import { type Client, mapObjects, Node, type Observed, Reflector } from '../../../client/index.ts';
import { RecordFeed } from '../zone/record-feed.ts';

/** Verdicts that are kept; when there are more, all are forgotten. */
const MAX_KNOWN = 4096;
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/**
 * The networks whose clients may ask about names outside of the cluster: loopback, those that are given, and once it follows a
 * cluster the addresses of its nodes and the ranges of their pods.
 */
export class ClientNetworks {
  readonly #fixed: readonly string[];
  /** By name of the node. */
  readonly #nodes = new Map<string, readonly string[]>();
  #networks: BlockList | undefined;
  readonly #known = new Map<string, boolean>();

  /** Throws for text that is neither an address nor a network. */
  constructor(networks: readonly string[]) {
    this.#fixed = [...LOOPBACK, ...networks];
    this.#networks = listOf(this.#fixed);
  }

  has(address: string): boolean {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const plain = plainAddress(address);
    this.#networks ??= listOf([...this.#fixed, ...[...this.#nodes.values()].flat()]);
    const isAllowed = isIP(plain) !== 0 && this.#networks.check(plain, familyOf(plain));
    this.#known.set(address, isAllowed);
    return isAllowed;
  }

  /** Follows the nodes of a cluster. */
  following(
    client: Client,
    options: { readonly clock: Clock; readonly random: Random; readonly log: Logger },
  ): Runnable {
    const feed = new RecordFeed<Node>(
      {
        set: (node) => this.#nodes.set(node.metadata.name, networksOf(node)),
        delete: ({ metadata }) => this.#nodes.delete(metadata.name),
        keys: () => this.#nodes.keys(),
      },
      () => this.#forget(),
    );
    const source = mapObjects(client.kind(Node), leanNode);
    return new Reflector(source, feed, { ...options, isLocal: client.isLocal, name: 'v1 nodes' });
  }

  #forget(): void {
    this.#networks = undefined;
    this.#known.clear();
  }
}

function leanNode({ kind, apiVersion, metadata, spec, status }: Observed<Node>): Observed<Node> {
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind,
    apiVersion,
    metadata: { name, uid, resourceVersion, creationTimestamp },
    spec: { podCIDR: spec?.podCIDR, podCIDRs: spec?.podCIDRs },
    status: { addresses: status?.addresses },
  };
}

function networksOf({ spec, status }: Observed<Node>): readonly string[] {
  const { podCIDR = '', podCIDRs = [podCIDR] } = spec ?? {};
  const addresses = (status?.addresses ?? []).map(({ address }) => address);
  const isSound = (text: string): boolean => parseCidr(text) !== undefined || parseIp(text) !== undefined;
  return [...podCIDRs, ...addresses].filter(isSound); // a node also has names among its addresses
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of networks) {
    const prefix = parseCidr(text);
    const address = prefix === undefined ? parseIp(text) : undefined;
    if (prefix !== undefined) {
      const [network = '', length] = formatCidr(prefix).split('/');
      list.addSubnet(network, Number(length), familyOf(network));
    } else if (address !== undefined) {
      list.addAddress(formatIp(address), familyOf(formatIp(address)));
    } else {
      throw new Error(`Cannot allow "${text}": it is neither an address nor a network`);
    }
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Without an interface, and IPv4 as such: sockets for both families say `::ffff:10.0.0.1`. */
function plainAddress(address: string): string {
  const [text = ''] = address.split('%');
  return text.startsWith('::ffff:') && text.includes('.') ? text.slice(7) : text;
}
