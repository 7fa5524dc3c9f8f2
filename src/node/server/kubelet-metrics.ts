import { isTerminalPhase } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { NodeSettings, NodeBackend } from '../backend/index.ts';
import type { NodeCounts } from '../node-counts.ts';
import type { ProbeRecord } from '../probes/index.ts';
import { isStaticPod } from '../static-pods/index.ts';
import type { NodeUsage, VolumeUsage } from '../runtime/index.ts';
import { type Family, metricLines, type Sample } from './metric-lines.ts';
import { logMetrics, processMetrics, volumeMetrics } from './usage-metrics.ts';

/** The members of a node that its metrics need. */
interface CountedNode {
  readonly settings: Pick<NodeSettings, 'name'>;
  readonly backend: Pick<NodeBackend, 'runtime' | 'machine' | 'metrics'>;
  readonly startedAtMs: number;
  readonly counts: NodeCounts;
  timings(): readonly Family[];
  pods(): readonly Observed<Pod>[];
  usage(): Promise<NodeUsage>;
  volumes(pod: Observed<Pod>): Promise<readonly VolumeUsage[]>;
  probes(): Iterable<ProbeRecord>;
}

const CONTAINER_STATES = {
  CONTAINER_CREATED: 'created',
  CONTAINER_EXITED: 'exited',
  CONTAINER_RUNNING: 'running',
  CONTAINER_UNKNOWN: 'unknown',
} as const;

/** What the agent does and has done: the document of `/metrics`. */
export async function kubeletMetrics(node: CountedNode, others: readonly Family[] = []): Promise<string> {
  const { runtime } = node.backend;
  const sandboxes = await runtime.listPodSandbox({ state: 'SANDBOX_READY' });
  const states = tally((await runtime.listContainers()).map(({ state }) => CONTAINER_STATES[state]));
  const pods = node.pods();
  const active = pods.filter(({ status }) => !isTerminalPhase(status?.phase));
  const { counts } = node;
  const usage = await node.usage();
  const volumes = await Promise.all(
    active.map(async (pod) => ({ namespace: pod.metadata.namespace ?? '', volumes: await node.volumes(pod) })),
  );
  return metricLines([
    gauge('kubelet_node_name', "The node's name. The count is always 1.", [
      { labels: { node: node.settings.name }, value: 1 },
    ]),
    gauge('kubelet_running_pods', 'Pods that have a running sandbox.', [{ value: sandboxes.length }]),
    gauge(
      'kubelet_running_containers',
      'Containers, by their state.',
      [...states].map(([state, value]) => ({ labels: { container_state: state }, value })),
    ),
    gauge('kubelet_desired_pods', 'Pods that are bound to the node.', byOrigin(pods)),
    gauge('kubelet_active_pods', 'Pods that count when new pods are admitted.', byOrigin(active)),
    gauge('kubelet_mirror_pods', 'Pods in the API that stand for static pods.', [
      { value: pods.filter(isStaticPod).length },
    ]),
    gauge('kubelet_working_pods', 'Pods that the node looks after, by the stage of their life.', workingPods(pods)),
    counter('kubelet_started_pods_total', 'Sandboxes of pods that the node tried to create.', [{ value: counts.pods }]),
    counter('kubelet_started_pods_errors_total', 'Sandboxes of pods that could not be created.', [
      { value: counts.podErrors },
    ]),
    counter(
      'kubelet_started_containers_total',
      'Containers that the node tried to start.',
      [...counts.containers].map(([kind, value]) => ({ labels: { container_type: kind }, value })),
    ),
    counter(
      'kubelet_started_containers_errors_total',
      'Containers that could not be started, by reason.',
      [...counts.containerErrors].map(([key, value]) => {
        const [container_type = '', code = ''] = key.split(' ');
        return { labels: { code, container_type }, value };
      }),
    ),
    gauge('kubelet_managed_ephemeral_containers', 'Ephemeral containers of the pods of the node.', [
      { value: pods.reduce((total, { spec }) => total + (spec?.ephemeralContainers?.length ?? 0), 0) },
    ]),
    gauge('kubelet_metrics_provider', 'Always 1; the label tells where figures of containers come from.', [
      { labels: { provider: 'cri' }, value: 1 },
    ]),
    ...processMetrics(),
    ...node.timings(),
    ...counts.metrics.families(),
    ...(node.backend.metrics?.families() ?? []),
    ...volumeMetrics(volumes),
    ...logMetrics(pods, usage),
    ...others,
    buildInfo(node),
    startTime(node),
  ]);
}

/** How often each word occurs, sorted by word. */
function tally(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words.toSorted()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Pods of the API, and those that the node runs by itself. */
function byOrigin(pods: readonly Observed<Pod>[]): readonly Sample[] {
  const own = pods.filter(isStaticPod).length;
  return [
    { labels: { static: '' }, value: pods.length - own },
    { labels: { static: 'true' }, value: own },
  ];
}

function workingPods(pods: readonly Observed<Pod>[]): readonly Sample[] {
  const stages = tally(
    pods.map((pod) => {
      const origin = isStaticPod(pod) ? 'true' : '';
      if (isTerminalPhase(pod.status?.phase)) return `terminated${origin}`;
      return `${pod.metadata.deletionTimestamp === undefined ? 'sync' : 'terminating'}${origin}`;
    }),
  );
  return ['sync', 'terminated', 'terminating'].flatMap((lifecycle) =>
    ['', 'true'].map((origin) => ({
      labels: { config: 'desired', lifecycle, static: origin },
      value: stages.get(`${lifecycle}${origin}`) ?? 0,
    })),
  );
}

function buildInfo({ backend: { machine } }: CountedNode): Family {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(machine.kubeletVersion) ?? [];
  const labels = {
    major,
    minor,
    git_version: machine.kubeletVersion,
    git_commit: '',
    git_tree_state: '',
    build_date: '',
    go_version: '',
    compiler: '',
    platform: `${machine.operatingSystem}/${machine.architecture}`,
  };
  return gauge('kubernetes_build_info', 'Always 1; the labels tell which version the node runs.', [
    { labels, value: 1 },
  ]);
}

/** When the agent began. */
export function startTime({ startedAtMs }: Pick<CountedNode, 'startedAtMs'>): Family {
  return gauge('process_start_time_seconds', 'When the agent began, in seconds since 1970.', [
    { value: startedAtMs / 1000 },
  ]);
}

/** What came of the probes of running containers: the document of `/metrics/probes`. */
export function probeMetrics(node: CountedNode): string {
  const records = [...node.probes()];
  const results = records.flatMap(({ uid, counts, ...record }) =>
    (['failed', 'successful', 'unknown'] as const)
      .filter((result) => counts[result] > 0)
      .map((result) => ({
        labels: { ...labelsOf(record), pod_uid: uid, result },
        value: counts[result],
      })),
  );
  const durations = records.flatMap((record): Sample[] => {
    const labels = labelsOf(record);
    const { bounds, buckets, sum } = record.durations;
    const total = buckets.reduce((all, each) => all + each, 0);
    let below = 0;
    const series = bounds.map((bound, index) => {
      below += buckets[index] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
    });
    if (total === 0) return [];
    return [
      ...series,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: total },
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: total },
    ];
  });
  return metricLines([
    counter('prober_probe_total', 'Probes of running containers, by result.', results),
    {
      name: 'prober_probe_duration_seconds',
      type: 'histogram',
      help: 'How long probes took that did not fail.',
      samples: durations,
    },
    startTime(node),
  ]);
}

function labelsOf({ kind, container, pod, namespace }: Pick<ProbeRecord, 'kind' | 'container' | 'pod' | 'namespace'>): {
  readonly probe_type: string;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
} {
  const probe_type = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  return { probe_type, container, pod, namespace };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, samples, type: 'gauge' };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, samples, type: 'counter' };
}
