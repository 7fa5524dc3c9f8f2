import { type Client, hasReason } from 'keelson/client';
import { CniError, type CniPlugin, cniPlugin, type CniRequest } from 'keelson/cni';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AddressPool, PodAddress } from './address-kinds.ts';

const MAX_TRIES = 20;

const POOL_LABEL = 'policy.example.com/pool';
const OWNER_LABEL = 'policy.example.com/attachment';
const NODE_LABEL = 'policy.example.com/node';

const Config = z.object({
  ipam: z.object({ kubeconfig: z.string().default('/etc/cni/net.d/address-pools.kubeconfig'), node: z.string() }),
});
type Request = CniRequest<z.output<typeof Config>>;

/** A plugin for the `ipam` of others, such as `bridge`: it takes addresses from the pools of the cluster. */
export function poolIpam(connect: (kubeconfig: string) => Client | Promise<Client>): CniPlugin {
  const clientOf = (request: Request): Client | Promise<Client> => connect(request.config.ipam.kubeconfig);
  return cniPlugin({
    name: 'pool-ipam',
    config: Config,

    async add(request) {
      const client = await clientOf(request);
      const [held] = await addressesOf(client, { [OWNER_LABEL]: ownerOf(request) });
      if (held !== undefined) throw new CniError(100, `${held} belongs to this container already`);
      const { address, gateway, length } = await allocate(client, request);
      return { ips: [{ address: `${address}/${length}`, gateway }], routes: [{ dst: '0.0.0.0/0' }] };
    },

    async check(request) {
      const held = await addressesOf(await clientOf(request), { [OWNER_LABEL]: ownerOf(request) });
      if (held.length === 0) throw new CniError(101, 'the address of this container is not allocated');
    },

    async del(request) {
      await release(await clientOf(request), { [OWNER_LABEL]: ownerOf(request) });
    },

    async gc(request) {
      if (request.validAttachments === undefined) return;
      const client = await clientOf(request);
      const { network, config } = request;
      const valid = new Set(
        request.validAttachments.map(({ containerID, ifname }) =>
          ownerOf({ network, containerId: containerID, ifName: ifname }),
        ),
      );
      const { items } = await client.kind(PodAddress).list({ labelSelector: { [NODE_LABEL]: config.ipam.node } });
      for (const { metadata } of items)
        if (!valid.has(metadata.labels?.[OWNER_LABEL] ?? '')) await client.kind(PodAddress).delete(metadata.name);
    },

    async status(request) {
      const client = await clientOf(request);
      const pools = await poolsOf(client, request.config.ipam.node);
      const free = await Promise.all(pools.map(({ name, cidr }) => firstFree(client, { name, cidr })));
      if (free.every((address) => address === undefined)) throw new CniError(50, 'no pool has a free address');
    },
  });
}

interface Pool {
  readonly name: string;
  readonly cidr: string;
}

interface Allocated {
  readonly address: string;
  readonly gateway: string;
  readonly length: string;
}

/** Takes the first address that is free. When another node takes it first, the API server says so, and the next one is tried. */
async function allocate(client: Client, request: Request): Promise<Allocated> {
  const { node } = request.config.ipam;
  const { K8S_POD_NAMESPACE: namespace, K8S_POD_NAME: name } = request.args;
  for (const pool of await poolsOf(client, node))
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const address = await firstFree(client, pool);
      if (address === undefined) break;
      try {
        await client.kind(PodAddress).create({
          metadata: {
            name: address,
            labels: { [POOL_LABEL]: pool.name, [OWNER_LABEL]: ownerOf(request), [NODE_LABEL]: node },
          },
          spec: { pool: pool.name, node, ...(name === undefined ? {} : { pod: `${namespace}/${name}` }) },
        });
        const [base = '', length = ''] = pool.cidr.split('/');
        return { address, gateway: textOf(numberOf(base) + 1), length };
      } catch (error) {
        if (!hasReason(error, 'AlreadyExists')) throw error;
      }
    }
  throw new CniError(11, 'no pool has a free address');
}

/** The pools for a node, by name. */
async function poolsOf(client: Client, node: string): Promise<readonly Pool[]> {
  const { metadata } = await client.core.v1.nodes.get(node);
  const { items } = await client.kind(AddressPool).list();
  return items
    .filter(({ spec }) =>
      Object.entries(spec.nodes ?? {}).every(([label, value]) => metadata.labels?.[label] === value),
    )
    .map((pool) => ({ name: pool.metadata.name, cidr: pool.spec.cidr }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Not the address of the network, nor the gateway's, nor the one of all. */
async function firstFree(client: Client, { name, cidr }: Pool): Promise<string | undefined> {
  const taken = new Set(await addressesOf(client, { [POOL_LABEL]: name }));
  const [base = '', length = ''] = cidr.split('/');
  const size = 2 ** (32 - Number(length));
  for (let at = 2; at < size - 1; at++) {
    const address = textOf(numberOf(base) + at);
    if (!taken.has(address)) return address;
  }
  return undefined;
}

async function addressesOf(client: Client, labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { items } = await client.kind(PodAddress).list({ labelSelector: labels });
  return items.map(({ metadata }) => metadata.name);
}

async function release(client: Client, labels: Readonly<Record<string, string>>): Promise<void> {
  for (const address of await addressesOf(client, labels)) await client.kind(PodAddress).delete(address);
}

/** Which attachment an address belongs to, short enough for a label. */
function ownerOf({ network, containerId, ifName }: Pick<Request, 'network' | 'containerId' | 'ifName'>): string {
  return createHash('sha256').update(`${network}/${containerId}/${ifName}`).digest('hex').slice(0, 40);
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.');
}
