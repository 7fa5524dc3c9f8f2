import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, settle, VirtualClock } from '../base/index.ts';
import { requires } from '../base/testing/requires.ts';
import { type Cluster, launchCluster } from './cluster.ts';

const ADMIN = { user: 'admin', groups: ['system:masters'] };

async function start(): Promise<Cluster> {
  const cluster = await launchCluster({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new VirtualClock(),
    random: new SeededRandom('metrics'),
    log: discardLogger,
    signal: new AbortController().signal,
  });
  do await settle();
  while (!cluster.isIdle);
  return cluster;
}

/** What the dashboards and alerts of kube-prometheus and of the Kubernetes mixin read. */
const READ_BY_DASHBOARDS = [
  'apiserver_admission_controller_admission_duration_seconds',
  'apiserver_admission_step_admission_duration_seconds',
  'apiserver_client_certificate_expiration_seconds',
  'apiserver_current_inflight_requests',
  'apiserver_longrunning_requests',
  'apiserver_request_duration_seconds',
  'apiserver_request_sli_duration_seconds',
  'apiserver_request_total',
  'apiserver_resource_objects',
  'apiserver_response_sizes',
  'apiserver_storage_list_evaluated_objects_total',
  'apiserver_storage_list_fetched_objects_total',
  'apiserver_storage_list_returned_objects_total',
  'apiserver_storage_list_total',
  'apiserver_storage_objects',
  'apiserver_tls_handshake_errors_total',
  'authentication_attempts',
  'authorization_attempts_total',
  'etcd_request_duration_seconds',
  'kubernetes_build_info',
  'node_collector_zone_health',
  'node_collector_zone_size',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'rest_client_request_duration_seconds',
  'rest_client_requests_total',
  'scheduler_pending_pods',
  'scheduler_pod_scheduling_sli_duration_seconds',
  'scheduler_schedule_attempts_total',
  'scheduler_scheduling_attempt_duration_seconds',
  'workqueue_adds_total',
  'workqueue_depth',
  'workqueue_queue_duration_seconds',
];

test('a scrape has what dashboards read, with figures that follow what happens', async () => {
  await using cluster = await start();
  await using client = cluster.plane.client(ADMIN);
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  await client.core.v1.pods.namespace('default').create(pod);
  do await settle();
  while (!cluster.isIdle);
  const text = await client.text('/metrics');
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]);

  expect(families).toEqual(expect.arrayContaining(READ_BY_DASHBOARDS));
  expect(new Set(families).size).toBe(families.length);
  expect(text).toContain('\napiserver_storage_objects{resource="pods"} 1\n');
  expect(text).toContain('\napiserver_resource_objects{group="apps",resource="deployments"} 0\n');
  expect(text).toContain('\netcd_requests_total{group="",operation="create",resource="pods"} 1\n');
  expect(text).toContain('\nscheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1\n');
  expect(text).toContain('\nnode_collector_zone_health{zone=""} 100\n');
  expect(text).toMatch(/\nnodejs_eventloop_active_seconds_total [\d.]+\n/);
  expect(text).toMatch(/\nrest_client_requests_total\{code="201",host="in-process",method="POST"\} \d/);
});

test('a list counts what it read, what its selector looked at, and what it selected', async () => {
  await using cluster = await start();
  await using client = cluster.plane.client(ADMIN);
  const secrets = client.core.v1.secrets.namespace('default');
  const labels = [{ a: 'x' }, { a: 'y' }, { a: 'x' }];
  for (const [index, each] of labels.entries()) await secrets.create({ metadata: { name: `s${index}`, labels: each } });
  const counts = async (): Promise<Record<string, number>> => {
    const text = await client.text('/metrics');
    const lines = text.matchAll(/^apiserver_storage_list_(\w+)_total\{group="",resource="secrets"\} (\d+)$/gm);
    return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, Number(value)]));
  };
  const before = await counts();
  await secrets.list({ labelSelector: 'a=x' });
  const after = await counts();

  const grown = Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
  expect(grown).toEqual({ evaluated_objects: 3, fetched_objects: 3, returned_objects: 2 });
});

test('what a client invents makes no series', async () => {
  await using cluster = await start();
  await using client = cluster.plane.client(ADMIN);
  const series = async (): Promise<number> =>
    (await client.text('/metrics')).match(/^apiserver_request_total\{/gm)?.length ?? 0;
  const invented = async (name: string): Promise<void> => {
    for (const path of [
      `/apis/${name}.example.com/v1/things`,
      `/api/${name}/pods`,
      `/api/v1/${name}`,
      `/api/v1/namespaces/default/pods/a/${name}`,
      `/${name}`,
      `/livez/${name}`,
    ])
      await client.text(path).catch(() => undefined);
    await client.text(`/api/v1/pods?dryRun=${name}`).catch(() => undefined);
  };
  await invented('first');
  await series(); // which has one of its own from now on
  const before = await series();
  for (let index = 0; index < 20; index++) await invented(`made-up-${index}`);

  expect(await series()).toBe(before);
  expect(await client.text('/metrics')).not.toContain('made-up');
});

test('OpenMetrics is sent to who asks for it', async () => {
  await using cluster = await start();
  await using client = cluster.plane.client(ADMIN);
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.3';
  const text = await client.text('/metrics', { accept });

  expect(text.endsWith('\n# EOF\n')).toBe(true);
  expect(text).toContain('# TYPE apiserver_request counter\n');
  expect(text).toContain('\nauthentication_attempts_total{result="success"} ');
  expect(text).toContain(',le="1.0"} ');
});

/** Names that upstream gave and dashboards know: counters without `_total`, and an S that does not stand for seconds. */
const NAMED_BY_UPSTREAM =
  /^((authentication_attempts|authenticated_user_requests) counter metrics should have "_total" suffix|apiserver_flowcontrol_\w+ metric names should not contain abbreviated units)$/;

test('promtool finds nothing wrong but names that upstream gave', requires('promtool'), async () => {
  await using cluster = await start();
  await using client = cluster.plane.client(ADMIN);
  for (const path of ['/metrics', '/metrics/slis']) {
    await client.text('/readyz');
    const input = await client.text(path);
    const { stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    const lines = stderr.split('\n').filter((line) => line !== '' && !NAMED_BY_UPSTREAM.test(line));
    expect(lines).toEqual([]);
    expect(status).not.toBe(1);
  }
});
