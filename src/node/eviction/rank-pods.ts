// Which pod goes first when a node runs out of something: pure functions over what pods requested and use.
import { podRequests } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { isMirrorPod, isStaticPod } from '../static-pods/index.ts';
import type { SpaceUsage, EvictionSignal, NodeMeasurement, PodMeasurement } from './signals.ts';
import { SIGNALS } from './signals.ts';

const SYSTEM_CRITICAL = 2_000_000_000;

/** Critical pods are not evicted, and start also on nodes under pressure. */
export function isCriticalPod(pod: Observed<Pod>): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= SYSTEM_CRITICAL;
}

type Compare = (left: Observed<Pod>, right: Observed<Pod>) => number;
type DiskPart = 'rootfs' | 'logs' | 'volumes';

/** The pods in the order in which they are evicted. */
export function rankPods(
  pods: readonly Observed<Pod>[],
  signal: EvictionSignal,
  measured: NodeMeasurement,
): readonly Observed<Pod>[] {
  return pods.toSorted(inOrder(comparisons(signal, measured)));
}

function inOrder(compares: readonly Compare[]): Compare {
  return (left, right) => {
    for (const compare of compares) {
      const result = compare(left, right);
      if (result !== 0) return result;
    }
    return 0;
  };
}

function comparisons(signal: EvictionSignal, { pods, hasImageFilesystem }: NodeMeasurement): readonly Compare[] {
  const { resource, filesystem = 'nodefs' } = SIGNALS[signal];
  switch (resource) {
    case 'memory':
      return usageOrder(pods, 'memory', ({ memoryBytes }) => memoryBytes);
    case 'pids':
      return [
        byPriority,
        byExcess(
          pods,
          ({ processes }) => processes,
          () => 0,
        ),
      ];
    case 'ephemeral-storage': {
      const parts = partsOn(filesystem, hasImageFilesystem);
      return usageOrder(pods, 'ephemeral-storage', (usage) => diskUsage(usage, parts).bytes);
    }
    case 'inodes': {
      const parts = partsOn(filesystem, hasImageFilesystem);
      return usageOrder(pods, undefined, (usage) => diskUsage(usage, parts).inodes);
    }
  }
}

/** First those that use more than they requested, then the less important, then those that use most beyond their request. */
function usageOrder(
  pods: NodeMeasurement['pods'],
  resource: string | undefined,
  used: (usage: PodMeasurement) => number,
): readonly Compare[] {
  const requested = (pod: Observed<Pod>): number =>
    resource === undefined
      ? 0
      : (podRequests({ spec: pod.spec ?? { containers: [] } })
          .get(resource)
          ?.value() ?? 0);
  const exceeds = (pod: Observed<Pod>): boolean => {
    const usage = pods.get(pod.metadata.uid);
    return usage === undefined || used(usage) > requested(pod); // what was not measured goes first
  };
  return [(left, right) => Number(exceeds(right)) - Number(exceeds(left)), byPriority, byExcess(pods, used, requested)];
}

const byPriority: Compare = (left, right) => (left.spec?.priority ?? 0) - (right.spec?.priority ?? 0);

function byExcess(
  pods: NodeMeasurement['pods'],
  used: (usage: PodMeasurement) => number,
  requested: (pod: Observed<Pod>) => number,
): Compare {
  const excess = (pod: Observed<Pod>): number => {
    const usage = pods.get(pod.metadata.uid);
    return usage === undefined ? Infinity : used(usage) - requested(pod);
  };
  return (left, right) => {
    const [a, b] = [excess(left), excess(right)];
    return a === b ? 0 : b - a;
  };
}

/** What of a pod is on a file system. */
function partsOn(filesystem: 'nodefs' | 'imagefs' | 'containerfs', hasImageFilesystem: boolean): readonly DiskPart[] {
  if (!hasImageFilesystem) return ['rootfs', 'logs', 'volumes'];
  return filesystem === 'nodefs' ? ['logs', 'volumes'] : ['rootfs'];
}

/** What a pod uses on disks. */
export function diskUsage(
  { containers, volumes }: PodMeasurement,
  parts: readonly DiskPart[] = ['rootfs', 'logs', 'volumes'],
): SpaceUsage {
  const used: SpaceUsage[] = [];
  for (const { rootfs, logs } of containers.values())
    used.push(...(parts.includes('rootfs') ? [rootfs] : []), ...(parts.includes('logs') ? [logs] : []));
  if (parts.includes('volumes')) for (const volume of volumes.values()) if (!volume.isInMemory) used.push(volume);
  return used.reduce((sum, each) => ({ bytes: sum.bytes + each.bytes, inodes: sum.inodes + each.inodes }), {
    bytes: 0,
    inodes: 0,
  });
}
