// Groups of a node whose containers are in no cgroups, from what they use.
import type { Observed, Pod } from '../../client/index.ts';
import { type CgroupName, cgroupPath, KUBEPODS, podCgroupName } from '../config/cgroup-name.ts';
import { linuxResources } from '../config/linux-resources.ts';
import type { NodeBackend } from '../backend/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { CgroupFigures, LinuxContainerResources, MeasuredUsage } from '../runtime/index.ts';
import type { Cgroup } from './cgroup.ts';
import { byPod, type MeasuredNode, sumOf, usesOf } from './node-stats.ts';

/** The members of a node that its groups need. */
export interface GroupedNode extends MeasuredNode {
  readonly backend: Pick<NodeBackend, 'runtime' | 'machine' | 'cgroups'>;
  pods(): readonly Observed<Pod>[];
}

export const NAMELESS: Cgroup['labels'] = { container: '', id: '/', image: '', name: '', namespace: '', pod: '' };

const NANOSECONDS = 1e9;

export async function usedGroups(node: GroupedNode): Promise<readonly Cgroup[]> {
  const { whole, uses } = await usesOf(node);
  const pods = new Map(node.pods().map((pod) => [pod.metadata.uid, pod]));
  const { capacity, resourceRules: rules } = node.backend.machine;
  const groups: Cgroup[] = [{ labels: NAMELESS, figures: figuresOf(whole, node.startedAtMs) }];
  for (const own of byPod(uses)) {
    const [first] = own;
    const pod = pods.get(first?.uid ?? '');
    if (first === undefined || pod === undefined) continue;
    const folder = podPath(podCgroupName(pod, KUBEPODS));
    const names = { ...NAMELESS, namespace: first.namespace, pod: first.pod };
    const startedAtMs = Math.min(...own.map((use) => use.startedAtMs));
    groups.push({ labels: { ...names, id: folder }, figures: figuresOf(sumOf(own), startedAtMs) });
    for (const use of own) {
      const spec = containersOf(pod).find(({ name }) => name === use.name);
      const labels = { ...names, id: `${folder}/${use.id}`, name: use.id, image: use.image, container: use.name };
      const resources = spec === undefined ? undefined : linuxResources(pod, spec, { capacity, rules });
      groups.push({ labels, figures: figuresOf(use, use.startedAtMs, resources) });
    }
  }
  return groups;
}

function podPath(name: CgroupName): string {
  return cgroupPath(name, 'cgroupfs');
}

function figuresOf(
  { timestampMs, usageCoreNanoSeconds, workingSetBytes }: MeasuredUsage,
  createdAtMs: number,
  resources?: LinuxContainerResources,
): CgroupFigures {
  return {
    atMs: timestampMs,
    createdAtMs,
    cpu: {
      totalSeconds: usageCoreNanoSeconds / NANOSECONDS,
      ...(resources?.cpuShares === undefined ? {} : { shares: resources.cpuShares }),
      ...(resources?.cpuPeriod === undefined ? {} : { periodMicroseconds: resources.cpuPeriod }),
      ...(resources?.cpuQuota === undefined ? {} : { quotaMicroseconds: Math.max(0, resources.cpuQuota) }),
    },
    memory: {
      usage: workingSetBytes,
      rss: workingSetBytes,
      workingSet: workingSetBytes,
      ...(resources?.memoryLimitInBytes === undefined ? {} : { limit: resources.memoryLimitInBytes }),
    },
  };
}

function containersOf({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  const ephemeral = (spec?.ephemeralContainers ?? []) as readonly ContainerSpec[];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...ephemeral];
}
