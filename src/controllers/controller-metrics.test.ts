import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MetricRegistry } from '../base/index.ts';
import { app } from '../kit/index.ts';
import { startCluster } from '../testing/index.ts';
import { nodeIpamController } from './node-ipam/node-ipam-controller.ts';
import { exercise } from './testing/metrics/exercise.ts';
import { type Family, familiesOf, queuesOf } from './testing/metrics/families.ts';

/** Syncs skipped because of stale caches: our caches contain what was just written, so there are none. */
const ABSENT = /_stale_sync_skips_total$/;

/**
 * Queues that kube-controller-manager does not have: of nodes, of drivers, and for work that it does without a queue.
 */
const OF_OUR_OWN = new Set([
  'attach-detach',
  'attach-detach-nodes',
  'bootstrap_signer_queue',
  'garbage_collector_discovery',
  'node_heartbeats',
  'node_lifecycle_controller_evictions',
  'node_lifecycle_controller_monitor',
  'node_pods',
  'persistentvolume_resync',
  'pod-garbage-collector',
  'service',
  'volume-attacher',
  'volume-attacher-volumes',
  'volume-deleter',
  'volume-modifier',
  'volume-provisioner',
  'volume-resizer',
]);

/** Queues of kube-controller-manager that are not needed here, or whose controllers sleep without work. */
const NOT_QUEUED = new Set([
  'DynamicCABundle-csr-controller',
  'DynamicServingCertificateController',
  'certificate',
  'daemonset-node-updates',
  'disruption_recheck',
  'garbage_collector_graph_changes',
  'noexec_taint_node',
  'orphaned_pods_nodes',
  'pvcs',
  'replicationmanager',
  'resource_quota_controller_resource_changes',
  'resourcequota_primary',
  'resourcequota_priority',
  'serviceaccount_tokens_service',
  'vacprotection',
  'validatingadmissionpolicy-status',
]);

test('controllers have the metrics of kube-controller-manager, under the same names', async () => {
  const { families, queues } = JSON.parse(
    await readFile(new URL('testdata/real-metrics.json', import.meta.url), 'utf8'),
  ) as { families: Record<string, Family>; queues: string[] };
  await using cluster = await startCluster({ nodes: 2, seed: 'metrics' });
  const pass = async (seconds: number): Promise<void> => {
    await cluster.clock.advance(`${seconds}s`);
    await cluster.settle();
  };
  const networks = app('kube-controller-manager', [nodeIpamController({ clusterCidrs: ['10.200.0.0/16'] })]);
  await cluster.run(networks);
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'zzz-without-network' } });
  await exercise({ client: cluster.client, pass });
  const text = MetricRegistry.exposeAll(
    [...cluster.apps, networks].flatMap(({ registries }) => registries),
    'text',
  );
  const ours = familiesOf(text);
  const expected = Object.entries(families).filter(([name]) => !ABSENT.test(name));
  expect(Object.fromEntries(expected.map(([name]) => [name, ours.get(name)]))).toEqual(Object.fromEntries(expected));
  const page = await readFile(new URL('../../docs/reference/controller-metrics.md', import.meta.url), 'utf8');
  const untold = expected.filter(([name, { type }]) => !page.includes(`| \`${name}\` | ${type} |`));
  expect(untold).toEqual([]);
  expect(queuesOf(text).filter((name) => !queues.includes(name) && !OF_OUR_OWN.has(name))).toEqual([]);
  const missing = queues.filter((name) => !queuesOf(text).includes(name));
  expect(missing.filter((name) => !NOT_QUEUED.has(name))).toEqual([]);
});
