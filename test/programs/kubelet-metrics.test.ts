// The metrics of a kubelet 1.36, by upstream's own list: each is served under its name and type, or is absent for a reason.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { CERTIFICATE_ROWS } from '../../src/cluster/programs/machine-node/certificates/certificate-figures.ts';
import { MACHINE_ROWS } from '../../src/linux/stats/machine-metrics.ts';
import { RuntimeMetrics } from '../../src/linux/stats/runtime-metrics.ts';
import { AGENT_ROWS } from '../../src/node/agent-metrics.ts';
import { POD_RESOURCES_ROWS } from '../../src/node/pod-resources/pod-resources-socket.ts';
import { absentMetrics } from './absent-metrics.ts';

const FAMILY = /^# TYPE (\S+) (\S+)$/gm;
const ENDPOINTS = ['healthz', 'metrics', 'metrics/resource', 'metrics/probes', 'metrics/slis'];

/** Metrics that a node serves from when they are first counted. */
const COUNTED = { ...AGENT_ROWS, ...MACHINE_ROWS, ...POD_RESOURCES_ROWS, ...CERTIFICATE_ROWS };

/** Served by nodes with real containers only, from figures that simulated nodes do not have. */
const REAL_ONLY = new Map([
  ...['available_bytes', 'capacity_bytes', 'used_bytes', 'inodes', 'inodes_free', 'inodes_used'].map(
    (name) => [`kubelet_volume_stats_${name}`, 'gauge'] as const,
  ),
  ...['container', 'node', 'pod'].map((name) => [`${name}_swap_usage_bytes`, 'gauge'] as const),
  ['kubelet_container_log_filesystem_used_bytes', 'gauge'],
  ['kubelet_pleg_relist_interval_seconds', 'histogram'],
  ['kubelet_started_containers_errors_total', 'counter'],
  ...['client', 'server'].map((side) => [`kubelet_certificate_manager_${side}_ttl_seconds`, 'gauge'] as const),
  ...['allocation_per_numa', 'exclusive_cpu_allocation_count', 'shared_pool_size_millicores'].map(
    (name) => [`kubelet_cpu_manager_${name}`, 'gauge'] as const,
  ),
  ['kubelet_pod_pending_resizes', 'gauge'],
  ['kubelet_device_plugin_alloc_duration_seconds', 'histogram'],
  ['kubelet_device_plugin_registration_total', 'counter'],
  ['dra_operations_duration_seconds', 'histogram'],
  ['dra_grpc_operations_duration_seconds', 'histogram'],
  ['dra_resource_claims_in_use', 'gauge'],
  ...Object.entries(COUNTED).map(([name, { type }]) => [name, type] as const),
]);

async function served(): Promise<ReadonlyMap<string, string>> {
  await using cluster = await startCluster();
  await cluster.client.core.v1.pods.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      containers: [{ name: 'web', image: 'nginx', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 } }],
    },
  });
  await cluster.settle();
  await cluster.clock.advance('10s');
  const families = new Map<string, string>(REAL_ONLY);
  for (const endpoint of ENDPOINTS) {
    const path = `/api/v1/nodes/keelson/proxy/${endpoint}`;
    const read = (): Promise<string> => cluster.client.text(path);
    await read(); // counted by the next one
    for (const [, name = '', type = ''] of (await read()).matchAll(FAMILY)) families.set(name, type);
  }
  const runtime = new RuntimeMetrics();
  runtime.called('/runtime.v1.RuntimeService/RunPodSandbox', 1, { isError: true, handler: '' });
  runtime.pulled('uid', 1, 1);
  for (const { name, type } of runtime.families()) families.set(name, type);
  return families;
}

test('each metric of a kubelet is served with its type, or absent for a reason', async () => {
  const families = await served();
  const text = await readFile(join(import.meta.dirname, 'testdata', 'kubelet-metrics.txt'), 'utf8');
  const recorded = text
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [name: string, type: string, endpoint: string]);
  const problems = recorded.flatMap(([name, type]) => {
    const found = families.get(name);
    const isAbsent = absentMetrics.has(name);
    if (found === undefined) return isAbsent ? [] : [`${name} is absent without a reason`];
    if (isAbsent) return [`${name} is served, but listed as absent`];
    return type === 'custom' || type === found ? [] : [`${name} is a ${found}, upstream a ${type}`];
  });
  expect(problems).toEqual([]);
});
