// `npm run guides:traces`: runs the examples that are made of several parts, and draws what led to what into docs/images/traces.
// As root, on Linux: the network needs a network namespace.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app, mergePatch } from 'keelson';
import { brokerClient, serviceBroker } from 'keelson/broker';
import { policyEngine, PolicyState } from 'keelson/network';
import { startCluster } from 'keelson/testing';
import { AddressPool, PodAddress } from '../examples/global-policy/address-kinds.ts';
import { poolIpam } from '../examples/global-policy/address-pools.ts';
import { CidrSet, GlobalPolicy, globalPolicies, Tier } from '../examples/global-policy/global-policy.ts';
import { catalogApp } from '../examples/service-catalog/app.ts';
import { ClusterServiceBroker, ServiceBinding, ServiceInstance } from '../examples/service-catalog/kinds.ts';
import { ADDRESS, POOL, StoragePool, storageOperator } from '../examples/storage-pool/operator.ts';
import { openStore, type Store } from '../examples/storage-pool/store.ts';
import { NetworkNamespace } from '../test/support/cni-bench.ts';

const folder = join(import.meta.dirname, '..', 'docs', 'images', 'traces');

/** The stores of pods, each in a folder of its own. */
class Stores implements AsyncDisposable {
  readonly #folder: string;
  readonly #opened = new Map<string, Store>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get size(): number {
    return this.#opened.size;
  }

  has(pod: string): boolean {
    return this.#opened.has(pod);
  }

  /** Returns its address. */
  async open(pod: string): Promise<string> {
    const store = await openStore({ folder: join(this.#folder, pod) });
    this.#opened.set(pod, store);
    return store.address;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#opened.values()) await store[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Each runs an example up to the step that is shown, and returns the drawing of that step. */
const drawings: Readonly<Record<string, () => Promise<string>>> = {
  'service-catalog': serviceCatalog,
  'storage-operator': storage,
  'network-operator': network,
};

const wanted = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const [name, draw] of Object.entries(drawings)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const svg = await draw();
  await writeFile(join(folder, `${name}.svg`), svg);
  console.log(`docs/images/traces/${name}.svg, ${svg.split('<g>').length - 1} rows`);
}

/** An instance is asked for and bound in the same moment. */
async function serviceCatalog(): Promise<string> {
  await using broker = await serviceBroker({
    catalog: {
      'key-values': {
        id: 'class-key-values',
        description: 'Stores of texts by key',
        plans: { small: { id: 'plan-small', description: 'At most 1000 keys' } },
      },
    },
    provision: () => undefined,
    deprovision: () => undefined,
    bind: () => ({ credentials: { url: 'http://127.0.0.1:8091' } }),
    unbind: () => undefined,
  }).open();
  await using cluster = await startCluster({ nodes: 0, scheduler: false, trace: true });
  const connect = (options: Parameters<typeof brokerClient>[0]) =>
    brokerClient({ ...options, answer: (request) => broker.answer(request) });
  await cluster.run(catalogApp({ connect }));
  await cluster.settle();
  await cluster.client
    .kind(ClusterServiceBroker)
    .create({ metadata: { name: 'key-values' }, spec: { url: 'http://key-values.example.com' } });
  await cluster.settle();
  cluster.clearTrace();
  const ann = cluster.as('ann', ['system:masters']);
  await ann
    .kind(ServiceInstance)
    .namespace('default')
    .create({
      metadata: { name: 'shop' },
      spec: { clusterServiceClassExternalName: 'key-values', clusterServicePlanExternalName: 'small' },
    });
  await ann
    .kind(ServiceBinding)
    .namespace('default')
    .create({ metadata: { name: 'shop' }, spec: { instanceRef: { name: 'shop' } } });
  await cluster.settle();
  await cluster.clock.advance('5s');
  await cluster.settle();
  return cluster.trace().svg;
}

/** A pool is asked for, and its stores come up. */
async function storage(): Promise<string> {
  await using stores = new Stores(await mkdtemp(join(tmpdir(), 'keelson-stores-')));
  await using cluster = await startCluster({ nodes: 2, trace: true });
  const { client } = cluster;
  await client.core.v1.serviceaccounts.namespace('default').create({ metadata: { name: 'storage-pool' } });
  await cluster.run(storageOperator());
  await cluster.settle();
  cluster.clearTrace();
  await cluster
    .as('ann', ['system:masters'])
    .kind(StoragePool)
    .namespace('default')
    .create({ metadata: { name: 'main' }, spec: { stores: 2 } });
  const pods = client.core.v1.pods.namespace('default');
  // containers of simulated nodes run no code: each running pod gets a store of this process
  for (let round = 0; round < 6 && stores.size < 2; round++) {
    await cluster.settle();
    await cluster.clock.advance('5s');
    for (const { metadata, status } of (await pods.list({ labelSelector: POOL })).items) {
      if (status?.phase !== 'Running' || stores.has(metadata.name)) continue;
      const annotations = { [ADDRESS]: await stores.open(metadata.name) };
      await cluster
        .as('system:serviceaccount:default:storage-pool', ['system:masters'])
        .core.v1.pods.namespace('default')
        .patch(metadata.name, mergePatch({ metadata: { annotations } }));
    }
  }
  await cluster.settle();
  return cluster.trace().svg;
}

/** Two nodes ask for an address at the same time, and a policy is written. */
async function network(): Promise<string> {
  await using namespace = await NetworkNamespace.create();
  const resources = [AddressPool, PodAddress, Tier, CidrSet, GlobalPolicy];
  await using cluster = await startCluster({ nodes: 0, resources, trace: true });
  const state = new PolicyState();
  const engine = policyEngine({ node: 'n1', policies: globalPolicies, apply: async (changes) => state.apply(changes) });
  await cluster.run(app('global-policy', [engine]));
  for (const name of ['n1', 'n2']) await cluster.client.core.v1.nodes.create({ metadata: { name } });
  await cluster.client.kind(AddressPool).create({ metadata: { name: 'pods' }, spec: { cidr: '10.9.0.0/29' } });
  await cluster.settle();
  cluster.clearTrace();
  // the first node's request is on its way for a second
  const resource = 'podaddresses.policy.example.com';
  using _slow = cluster.fault({
    type: 'latency',
    delay: '1s',
    user: 'system:cni:n1',
    verb: 'create',
    resource,
    times: 1,
  });
  const adding = Promise.all(['n1', 'n2'].map((node) => addAttachment(node)));
  await cluster.clock.advance('2s');
  await adding;
  await cluster.settle();
  return cluster.trace().svg;

  async function addAttachment(node: string): Promise<void> {
    const plugin = poolIpam(() => cluster.as(`system:cni:${node}`, ['system:masters']));
    const { code, stdout } = await plugin.run({
      environment: {
        CNI_COMMAND: 'ADD',
        CNI_CONTAINERID: `web-on-${node}`,
        CNI_NETNS: namespace.path,
        CNI_IFNAME: 'eth0',
        CNI_PATH: '/opt/cni/bin',
        CNI_ARGS: `K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-on-${node}`,
      },
      input: JSON.stringify({
        cniVersion: '1.1.0',
        name: 'pods',
        type: 'bridge',
        ipam: { type: 'pool-ipam', node },
      }),
    });
    if (code !== 0) throw new Error(`Cannot draw: ADD on ${node} failed: ${stdout}`);
  }
}
