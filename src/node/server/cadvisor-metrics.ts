import { amountsOf, qosClassOf } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { NodeBackend } from '../backend/index.ts';
import { linuxResources } from '../config/linux-resources.ts';
import type { ContainerSpec } from '../life/index.ts';
import { detailFamilies } from './cadvisor-details.ts';
import type { Cgroup } from './cgroup.ts';
import { type Family, metricLines, type Sample } from './metric-lines.ts';
import { byPod, type MeasuredNode, sumOf, usesOf } from './node-stats.ts';

/** The members of a node that cAdvisor's metrics need. */
interface ObservedNode extends MeasuredNode {
  readonly backend: Pick<NodeBackend, 'runtime' | 'machine'>;
  pods(): readonly Observed<Pod>[];
}

const NAMELESS = { container: '', id: '/', image: '', name: '', namespace: '', pod: '' };

/** What machine, pods and containers use, by the names of cAdvisor: the document of `/metrics/cadvisor`. Only what is measured is in it. */
export async function cadvisorMetrics(node: ObservedNode): Promise<string> {
  const { machine } = node.backend;
  const groups = await cgroupsOf(node);
  const capacity = amountsOf(machine.capacity);
  const ids = {
    boot_id: machine.info.bootID,
    machine_id: machine.info.machineID,
    system_uuid: machine.info.systemUUID,
  };
  const perGroup = (
    name: string,
    value: (group: Cgroup) => number | undefined,
    { type = 'gauge', help, labels, isTimed = true }: GroupFamily,
  ): Family => ({
    name,
    type,
    help,
    samples: groups.flatMap((group): Sample[] => {
      const found = value(group);
      if (found === undefined) return [];
      const at = isTimed ? { atMs: group.usage.timestampMs } : {};
      return [{ labels: { ...group.labels, ...labels }, value: found, ...at }];
    }),
  });
  const memory = ({ usage: { workingSetBytes } }: Cgroup): number => workingSetBytes;
  const spec = { isTimed: false };
  return metricLines([
    perGroup('container_cpu_usage_seconds_total', ({ usage }) => usage.usageCoreNanoSeconds / 1e9, {
      type: 'counter',
      help: 'Processor time that was used, in seconds of one core.',
      labels: { cpu: 'total' },
    }),
    perGroup('container_last_seen', ({ usage }) => Math.floor(usage.timestampMs / 1000), {
      help: 'When the group was last measured, in seconds since 1970.',
    }),
    ...detailFamilies(groups),
    perGroup('container_memory_rss', ({ usage }) => usage.details?.memory?.rssBytes ?? usage.workingSetBytes, {
      help: 'Memory that no file backs, in bytes.',
    }),
    perGroup(
      'container_memory_usage_bytes',
      ({ usage }) => usage.details?.memory?.usageBytes ?? usage.workingSetBytes,
      { help: 'Memory that is used, with caches, in bytes.' },
    ),
    perGroup('container_memory_working_set_bytes', memory, { help: 'Memory that cannot be reclaimed, in bytes.' }),
    perGroup('container_start_time_seconds', ({ startedAtMs }) => Math.floor(startedAtMs / 1000), {
      ...spec,
      help: 'When the group was created, in seconds since 1970.',
    }),
    perGroup('container_spec_cpu_period', ({ resources }) => resources?.cpuPeriod, {
      ...spec,
      help: 'Period of the processor limit, in microseconds.',
    }),
    perGroup('container_spec_cpu_quota', ({ resources }) => resources?.cpuQuota || undefined, {
      ...spec,
      help: 'Processor time that may be used in each period, in microseconds.',
    }),
    perGroup('container_spec_cpu_shares', ({ resources }) => resources?.cpuShares, {
      ...spec,
      help: 'Share of the processor.',
    }),
    perGroup('container_spec_memory_limit_bytes', ({ resources }) => resources?.memoryLimitInBytes, {
      ...spec,
      help: 'Memory limit in bytes; 0 for none.',
    }),
    {
      name: 'cadvisor_version_info',
      type: 'gauge',
      help: 'Always 1; the labels tell the versions of kernel and system.',
      samples: [
        {
          labels: {
            cadvisorRevision: '',
            cadvisorVersion: '',
            dockerVersion: '',
            kernelVersion: machine.info.kernelVersion,
            osVersion: machine.info.osImage,
          },
          value: 1,
        },
      ],
    },
    machineGauge('machine_cpu_cores', 'Logical cores of the machine.', {
      labels: ids,
      value: Math.ceil((capacity.get('cpu')?.milliValue() ?? 0) / 1000),
    }),
    machineGauge('machine_memory_bytes', 'Memory of the machine in bytes.', {
      labels: ids,
      value: capacity.get('memory')?.value() ?? 0,
    }),
    machineGauge('container_scrape_error', '1 if the figures could not be read, 0 otherwise.', { value: 0 }),
    machineGauge('machine_scrape_error', '1 if the figures of the machine could not be read, 0 otherwise.', {
      value: 0,
    }),
  ]);
}

interface GroupFamily {
  readonly type?: Family['type'];
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether samples have the time at which they were measured. */
  readonly isTimed?: boolean;
}

function machineGauge(name: string, help: string, sample: Sample): Family {
  return { name, type: 'gauge', help, samples: [sample] };
}

async function cgroupsOf(node: ObservedNode): Promise<readonly Cgroup[]> {
  const { whole, uses, pods: measured, machine } = await usesOf(node);
  const pods = new Map(node.pods().map((pod) => [pod.metadata.uid, pod]));
  const { capacity, resourceRules: rules } = node.backend.machine;
  const surroundings = { capacity, rules };
  const { interfaces = [], processCount } = machine ?? {};
  const groups: Cgroup[] = [
    { labels: NAMELESS, startedAtMs: node.startedAtMs, usage: whole, resources: undefined, interfaces, processCount },
  ];
  for (const own of byPod(uses)) {
    const [first] = own;
    const pod = pods.get(first?.uid ?? '');
    if (first === undefined || pod === undefined) continue;
    const folder = podCgroup(pod);
    const names = { ...NAMELESS, namespace: first.namespace, pod: first.pod };
    const startedAtMs = Math.min(...own.map((use) => use.startedAtMs));
    const podUse = measured?.get(first.uid);
    groups.push({
      labels: { ...names, id: folder },
      startedAtMs,
      usage: podUse?.usage ?? sumOf(own),
      resources: undefined,
      interfaces: podUse?.interfaces ?? [],
      processCount: podUse?.processCount,
    });
    for (const use of own) {
      const spec = containersOf(pod).find(({ name }) => name === use.name);
      const labels = { ...names, id: `${folder}/${use.id}`, name: use.id, image: use.image, container: use.name };
      const resources = spec === undefined ? undefined : linuxResources(pod, spec, surroundings);
      groups.push({ labels, startedAtMs: use.startedAtMs, usage: use, resources });
    }
  }
  return groups;
}

/** As the kubelet names the groups of pods: guaranteed ones have no folder of their own. */
function podCgroup(pod: Observed<Pod>): string {
  const quality = qosClassOf(pod).toLowerCase();
  return `/kubepods${quality === 'guaranteed' ? '' : `/${quality}`}/pod${pod.metadata.uid}`;
}

function containersOf({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  const ephemeral = (spec?.ephemeralContainers ?? []) as readonly ContainerSpec[];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...ephemeral];
}
