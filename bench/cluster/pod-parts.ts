import { inTurns } from '../in-turns.ts';
import { OURS, PEER } from './control-plane.ts';
import type { ClusterBench, ClusterPart } from './part.ts';
import { untilAll } from './until-all.ts';

interface Case {
  readonly deployments: number;
  readonly pods: number;
  readonly nodes: number;
  /** Seconds and MB that it may take. */
  readonly aim?: { readonly seconds: number; readonly mb: number };
}

const BOTH = [OURS, PEER] as const;

export const pods: ClusterPart = {
  name: 'pods',
  title: '10,000 pods',
  of: BOTH,
  measure: (bench) => measurePods(bench, { deployments: 1, pods: 10_000, nodes: 100, aim: { seconds: 20, mb: 500 } }),
};

/** Once: the peer takes a minute and a half for it. */
export const deployments: ClusterPart = {
  name: 'deployments',
  title: '10,000 pods',
  of: BOTH,
  maxRounds: 1,
  measure: (bench) => measurePods(bench, { deployments: 100, pods: 10_000, nodes: 100, aim: { seconds: 20, mb: 500 } }),
};

/** Once: it takes minutes. */
export function large(hasPeer: boolean): ClusterPart {
  return {
    name: 'large',
    title: 'Many nodes',
    of: hasPeer ? BOTH : [OURS],
    maxRounds: 1,
    measure: (bench) => measurePods(bench, { deployments: 100, pods: 30_000, nodes: 1000 }),
  };
}

export const nodes: ClusterPart = {
  name: 'nodes',
  title: 'Many nodes',
  of: BOTH,
  async measure(bench) {
    const count = Math.ceil(5000 * bench.scale);
    await using plane = await bench.startControlPlane(count);
    const what = `${count.toLocaleString('en')} nodes`;
    bench.add({ name: `${what} until all are ready`, unit: 's', aim: { atMost: 20 } }, plane.nodesMs / 1000);
    bench.add({ name: `${what}: memory`, unit: 'MB' }, plane.rssMb());
    bench.add({ name: `${what}: processor time, with the start`, unit: 's' }, plane.cpuMs() / 1000);
  },
};

async function measurePods(bench: ClusterBench, wanted: Case): Promise<void> {
  const nodeCount = Math.ceil(wanted.nodes * bench.scale);
  const replicas = Math.ceil((wanted.pods * bench.scale) / wanted.deployments);
  const amount = replicas * wanted.deployments;
  await using plane = await bench.startControlPlane(nodeCount);
  const { client, signal } = plane;
  const revision = async (): Promise<number> => Number((await client.core.v1.namespaces.page()).resourceVersion);
  const resource = client.apps.v1.deployments.namespace('default');
  const [revisionBefore, cpuBefore, begun] = [await revision(), plane.cpuMs(), performance.now()];
  await inTurns(wanted.deployments, async (index) => {
    const labels = { app: `web-${index}` };
    const containers = [{ name: 'web', image: 'nginx' }];
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    await resource.create({ metadata: { name: `web-${index}` }, spec });
  });
  await untilAll(resource, { amount, signal, amountOf: ({ status }) => status?.readyReplicas ?? 0 });
  const seconds = (performance.now() - begun) / 1000;
  const cpuSeconds = (plane.cpuMs() - cpuBefore) / 1000;
  const inDeployments = wanted.deployments === 1 ? '1 Deployment' : `${wanted.deployments} Deployments`;
  const what = `${amount.toLocaleString('en')} pods of ${inDeployments} on ${nodeCount.toLocaleString('en')} nodes`;
  const { aim } = wanted;
  const limit = (atMost: number | undefined): { atMost: number } | undefined =>
    atMost === undefined ? undefined : { atMost };
  bench.add({ name: `${what} until all run`, unit: 's', aim: limit(aim?.seconds) }, seconds);
  bench.add({ name: `${what}: memory`, unit: 'MB', aim: limit(aim?.mb) }, plane.rssMb());
  bench.add({ name: `${what}: processor time`, unit: 's' }, cpuSeconds);
  bench.add({ name: `${what}: writes per pod until then`, unit: '' }, ((await revision()) - revisionBefore) / amount);
}
