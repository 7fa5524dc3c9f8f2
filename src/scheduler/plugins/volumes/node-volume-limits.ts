import type { Volume } from '../../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../../base/index.ts';
import {
  CSINode,
  index,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  StorageClass,
  VolumeAttachment,
} from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Change } from '../../framework/cluster-event.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/rejection.ts';
import { isClaimOfPod } from './claim-hints.ts';
import { ClaimMissing, csiVolumesOf, uniqueName, type VolumeListers } from './csi-volumes.ts';

const NAME = 'NodeVolumeLimits';
const TOO_MANY = unschedulable(NAME, 'node(s) exceed max volume count');

const attachmentsByNode = index(VolumeAttachment, ({ spec }) => [spec.nodeName]);

/** Filter: enforces the maximum number of volumes per CSI driver and node, as published in CSINodes. */
export function nodeVolumeLimits({ objects }: Pick<PluginContext, 'objects'>): Plugin {
  const nodes = objects(CSINode);
  const attachments = objects(VolumeAttachment);
  const listers: VolumeListers = {
    claims: objects(PersistentVolumeClaim),
    volumes: objects(PersistentVolume),
    classes: objects(StorageClass),
  };

  /** The attached volumes, including those that no pod uses any more. */
  function attachedTo(nodeName: string): Map<string, string> {
    const attached = new Map<string, string>();
    for (const { spec } of attachments.byIndex(attachmentsByNode, nodeName)) {
      const handle = listers.volumes.get(spec.source.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle;
      if (handle !== undefined) attached.set(uniqueName({ driver: spec.attacher, handle }), spec.attacher);
    }
    return attached;
  }

  return {
    name: NAME,
    events: [
      { resource: 'CSINode', actions: ['Add'] },
      { resource: 'CSINode', actions: ['Update'], isWorthRetry: isLimitRaised },
      { resource: 'Pod', actions: ['Delete'], isWorthRetry: isVolumeFreed },
      { resource: 'PersistentVolumeClaim', actions: ['Add'], isWorthRetry: isClaimOfPod },
      { resource: 'VolumeAttachment', actions: ['Delete'], isWorthRetry: ({ pod }) => hasClaims(pod) },
    ],
    preFilter: ({ pod: { pod } }) => ((pod.spec?.volumes ?? []).some(isCountedByDriver) ? undefined : 'skip'),
    filter({ pod: { pod } }, { name, pods }) {
      const csiNode = nodes.get(name);
      const hasDrivers = csiNode !== undefined;
      let added: Map<string, string>;
      try {
        added = csiVolumesOf(pod, listers, { hasDrivers, mustExist: true });
      } catch (error) {
        if (error instanceof ClaimMissing) return unresolvable(NAME, error.message);
        throw error;
      }
      const limits = limitsOf(csiNode);
      if (added.size === 0 || limits.size === 0) return undefined;
      const there = attachedTo(name);
      for (const other of pods)
        for (const [volume, driver] of csiVolumesOf(other.pod, listers, { hasDrivers, mustExist: false })) {
          there.set(volume, driver);
          added.delete(volume);
        }
      const [present, wanted] = [countByDriver(there), countByDriver(added)];
      for (const [driver, count] of wanted)
        if (count + (present.get(driver) ?? 0) > (limits.get(driver) ?? Infinity)) return TOO_MANY;
      return undefined;
    },
  };
}

function countByDriver(volumes: ReadonlyMap<string, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
}

/** The node's volume limits by driver; drivers without a limit are absent. */
function limitsOf(node: Observed<CSINode> | undefined): Map<string, number> {
  const counted = node?.spec.drivers?.flatMap(({ name, allocatable }): [string, number][] =>
    allocatable?.count === undefined ? [] : [[name, allocatable.count]],
  );
  return new Map(counted);
}

function isLimitRaised(_: PodInfo, { old, now }: Change<CSINode>): boolean {
  const before = limitsOf(old);
  return [...limitsOf(now)].some(([driver, count]) => count > (before.get(driver) ?? 0));
}

/** A pod with counted volumes was removed from a node, or from the node it was assumed on. */
function isVolumeFreed(_: PodInfo, { old }: Change<Pod>): boolean {
  const place = old?.spec?.nodeName ?? old?.status?.nominatedNodeName ?? '';
  return place !== '' && (old?.spec?.volumes ?? []).some(isCountedByDriver);
}

function hasClaims({ spec }: Observed<Pod>): boolean {
  return (spec?.volumes ?? []).some((volume) => volume.ephemeral === undefined && isCountedByDriver(volume));
}

/** Whether a CSI driver may attach the volume: it uses a claim, or an in-tree plugin that was migrated to CSI. */
function isCountedByDriver(volume: DeepReadonly<Volume>): boolean {
  const { persistentVolumeClaim, ephemeral, ...disks } = volume;
  if (persistentVolumeClaim !== undefined || ephemeral !== undefined) return true;
  const { awsElasticBlockStore, azureDisk, azureFile, cinder, gcePersistentDisk, portworxVolume, vsphereVolume } =
    disks;
  return [awsElasticBlockStore, azureDisk, azureFile, cinder, gcePersistentDisk, portworxVolume, vsphereVolume].some(
    (disk) => disk !== undefined,
  );
}
