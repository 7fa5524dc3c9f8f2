// Metrics about what pods use, and about the process of the agent.
import type { Observed, Pod } from '../../client/index.ts';
import type { Family, Sample } from '../backend/index.ts';
import type { NodeUsage, VolumeUsage } from '../runtime/index.ts';

const MICROSECONDS = 1e6;

/** Volumes behind claims, and the logs of containers: measured by nodes with a disk. */
export function volumeMetrics(pods: readonly Observed<Pod>[], { pods: measured }: NodeUsage): readonly Family[] {
  const claims = pods.flatMap(({ metadata, spec }) =>
    (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) => {
      const volume = measured?.get(metadata.uid)?.volumes.find((each) => each.name === name);
      if (persistentVolumeClaim === undefined || volume === undefined) return [];
      const labels = {
        namespace: metadata.namespace ?? '',
        persistentvolumeclaim: persistentVolumeClaim.claimName,
      };
      return [{ labels, volume }];
    }),
  );
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
