// Metrics about what pods use, and about the process of the agent.
import type { Observed, Pod } from '../../client/index.ts';
import type { Family, Sample } from '../backend/index.ts';
import type { NodeUsage, VolumeUsage } from '../runtime/index.ts';

const MICROSECONDS = 1e6;

/** The volumes of a pod. */
export interface MeasuredVolumes {
  readonly namespace: string;
  readonly volumes: readonly VolumeUsage[];
}

/** Volumes behind claims, a claim that several pods use once. */
export function volumeMetrics(pods: readonly MeasuredVolumes[]): readonly Family[] {
  const found = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly volume: VolumeUsage }>();
  for (const { namespace, volumes } of pods)
    for (const volume of volumes)
      if (volume.claim !== undefined)
        found.set(`${namespace}/${volume.claim}`, {
          labels: { namespace, persistentvolumeclaim: volume.claim },
          volume,
        });
  const claims = [...found.values()];
  const family = (name: string, help: string, value: (volume: VolumeUsage) => number): Family => ({
    name: `kubelet_volume_stats_${name}`,
    type: 'gauge',
    help,
    samples: claims.map(({ labels, volume }): Sample => ({ labels, value: value(volume) })),
  });
  return [
    family('available_bytes', 'Free bytes of the volume.', ({ availableBytes }) => availableBytes),
    family('capacity_bytes', 'Size of the volume in bytes.', ({ capacityBytes }) => capacityBytes),
    family('used_bytes', 'Used bytes of the volume.', ({ usedBytes }) => usedBytes),
    family('inodes', 'Inodes of the volume.', ({ inodes }) => inodes),
    family('inodes_free', 'Free inodes of the volume.', ({ inodesFree }) => inodesFree),
    family('inodes_used', 'Used inodes of the volume.', ({ inodesUsed }) => inodesUsed),
  ];
}

/** Bytes of the log files of containers. */
export function logMetrics(pods: readonly Observed<Pod>[], { containers }: NodeUsage): readonly Family[] {
  const samples = pods.flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).flatMap(({ name: container, containerID = '' }): Sample[] => {
      const bytes = containers.get(containerID.slice(containerID.indexOf('://') + 3))?.details?.logBytes;
      const { uid, name: pod, namespace = '' } = metadata;
      return bytes === undefined ? [] : [{ labels: { uid, namespace, pod, container }, value: bytes }];
    }),
  );
  const help = 'Bytes of the log files of the container.';
  return [{ name: 'kubelet_container_log_filesystem_used_bytes', type: 'gauge', help, samples }];
}

/** The process that the agent runs in. */
export function processMetrics(): readonly Family[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time of the process, in seconds.',
      samples: [{ value: (user + system) / MICROSECONDS }],
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Memory of the process, in bytes.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
  ];
}
