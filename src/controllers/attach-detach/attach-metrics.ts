import { claimVolumesOf, csiSourceOf } from '../../api/meaning/index.ts';
import type { MetricRegistry } from '../../base/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { countByLabels } from '../count-by-labels.ts';

/** Why a volume was detached although its node still reports it in use. */
export type ForceReason = 'timeout' | 'out-of-service';

/** The objects that the gauges count. */
interface CountedObjects {
  readonly pods: Objects<Pod>;
  readonly claims: Objects<PersistentVolumeClaim>;
  readonly volumes: Objects<PersistentVolume>;
  readonly attachments: Objects<VolumeAttachment>;
}

/** The counters of attach and detach operations. */
export interface AttachMetrics {
  forced(reason: ForceReason): void;
  /** Counts a finished attachment or detachment. */
  done(operation: 'volume_attach' | 'volume_detach', driver: string, outcome: { isFine: boolean; ms: number }): void;
}

/** The metrics of attached volumes, under kube-controller-manager's names. */
export function attachMetrics(metrics: MetricRegistry, parts: () => CountedObjects): AttachMetrics {
  const forced = metrics.counter({
    name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
    help: 'Volumes detached from nodes that had not let go of them.',
    labels: ['reason'],
  });
  const seconds = metrics.histogram({
    name: 'storage_operation_duration_seconds',
    help: 'How long it takes to attach and detach volumes.',
    labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
  metrics.callback(
    {
      name: 'attachdetach_controller_total_volumes',
      help: 'Volumes on nodes, by whether they should be attached or are.',
      labels: ['plugin_name', 'state'],
    },
    () => {
      const all = parts();
      const wanted = claimsInUse(all).map(({ plugin }) => ({ plugin_name: plugin, state: 'desired_state_of_world' }));
      const attached = all.attachments.list().map(({ spec }) => ({
        plugin_name: `kubernetes.io/csi:${spec.attacher}`,
        state: 'actual_state_of_world',
      }));
      return countByLabels([...wanted, ...attached]);
    },
  );
  metrics.callback(
    {
      name: 'storage_count_attachable_volumes_in_use',
      help: 'Volumes of claims that pods on a node use.',
      labels: ['node', 'volume_plugin'],
    },
    () => countByLabels(claimsInUse(parts()).map(({ node, plugin }) => ({ node, volume_plugin: plugin }))),
  );
  return {
    forced: (reason) => forced.with({ reason }).add(),
    done: (operation_name, driver, { isFine, ms }) => {
      const labels = {
        volume_plugin: `kubernetes.io/csi:${driver}`,
        operation_name,
        status: isFine ? 'success' : 'fail-unknown',
        migrated: 'false',
      };
      seconds.with(labels).observe(ms / 1000);
    },
  };
}

/** The claimed volumes that assigned pods use. */
function claimsInUse({
  pods,
  claims,
  volumes,
}: Omit<CountedObjects, 'attachments'>): { readonly node: string; readonly plugin: string }[] {
  return pods.list().flatMap((pod) => {
    const { nodeName: node = '' } = pod.spec ?? {};
    if (node === '') return [];
    return claimVolumesOf(pod).flatMap(({ claim }) => {
      const name = claims.get(`${pod.metadata.namespace}/${claim}`)?.spec?.volumeName;
      const volume = name === undefined ? undefined : volumes.get(name);
      const plugin = volume === undefined ? undefined : attachablePluginOf(volume);
      return plugin === undefined ? [] : [{ node, plugin }];
    });
  });
}

/** The plugin that would attach the volume; undefined when it needs no attaching. */
function attachablePluginOf(volume: Observed<PersistentVolume>): string | undefined {
  const { spec } = volume;
  const csi = csiSourceOf(volume);
  if (csi !== undefined) return `kubernetes.io/csi:${csi.driver}`;
  if (spec?.fc !== undefined) return 'kubernetes.io/fc';
  return spec?.iscsi === undefined ? undefined : 'kubernetes.io/iscsi';
}
