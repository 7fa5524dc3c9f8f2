import { accessModes } from '../../../api/meaning/index.ts';
import { type Observed, PersistentVolumeClaim, type Pod } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Change } from '../../framework/cluster-event.ts';
import type { CycleKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import { unresolvable, unschedulable } from '../../framework/rejection.ts';
import { isNamedClaimOfPod } from './claim-hints.ts';
import { hasDiskConflict, isExclusiveDisk } from './disk-conflicts.ts';

const NAME = 'VolumeRestrictions';
const DISK_CONFLICT = unschedulable(NAME, 'node(s) had no available disk');
const CLAIM_CONFLICT = unschedulable(
  NAME,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

/** The ReadWriteOncePod claims of the pod, and how many other pods use them. */
class ExclusiveClaims {
  readonly #names: ReadonlySet<string>;
  #uses: number;

  constructor(names: ReadonlySet<string>, uses: number) {
    this.#names = names;
    this.#uses = uses;
  }

  get areInUse(): boolean {
    return this.#uses > 0;
  }

  count({ pod }: PodInfo, sign: 1 | -1): void {
    for (const name of namedClaims(pod)) if (this.#names.has(name)) this.#uses += sign;
  }

  clone(): ExclusiveClaims {
    return new ExclusiveClaims(this.#names, this.#uses);
  }
}

const exclusive: CycleKey<ExclusiveClaims> = { name: `PreFilter${NAME}` };

/** Filter: disks that pods of one node cannot share, and ReadWriteOncePod claims. */
export function volumeRestrictions({ objects }: Pick<PluginContext, 'objects'>): Plugin {
  const claims = objects(PersistentVolumeClaim);
  return {
    name: NAME,
    events: [
      { resource: 'Pod', actions: ['Delete'], isWorthRetry: isVolumeFreed },
      { resource: 'Node', actions: ['Add'] },
      { resource: 'PersistentVolumeClaim', actions: ['Add'], isWorthRetry: isNamedClaimOfPod },
    ],
    preFilter(cycle, { claimUses }) {
      const { pod } = cycle.pod;
      const { volumes = [] } = pod.spec ?? {};
      if (volumes.length === 0) return 'skip';
      const names = new Set<string>();
      for (const name of namedClaims(pod)) {
        const claim = claims.get(claimKey(pod, name));
        if (claim === undefined) return unresolvable(NAME, `persistentvolumeclaim "${name}" not found`);
        if (accessModes(claim).includes('ReadWriteOncePod')) names.add(name);
      }
      const used = [...names].filter((name) => claimUses.isUsed(claimKey(pod, name)));
      if (used.length === 0 && !volumes.some(isExclusiveDisk)) return 'skip';
      cycle.write(exclusive, new ExclusiveClaims(names, used.length));
      return undefined;
    },
    addPod: (cycle, pod) => cycle.read(exclusive).count(pod, 1),
    removePod: (cycle, pod) => cycle.read(exclusive).count(pod, -1),
    filter(cycle, { pods }) {
      const { pod } = cycle.pod;
      if (pods.some((other) => hasDiskConflict(pod, other.pod))) return DISK_CONFLICT;
      return cycle.read(exclusive).areInUse ? CLAIM_CONFLICT : undefined;
    },
  };
}

/** A pod that shared a disk or a claim with the waiting pod was removed. */
function isVolumeFreed({ pod }: PodInfo, { old }: Change<Pod>): boolean {
  if (old === undefined || old.metadata.namespace !== pod.metadata.namespace) return false;
  if (hasDiskConflict(pod, old)) return true;
  const wanted = new Set(namedClaims(pod));
  return namedClaims(old).some((name) => wanted.has(name));
}

/** The pod's claims, without those of ephemeral volumes. */
function namedClaims({ spec }: Observed<Pod>): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

function claimKey({ metadata }: Observed<Pod>, name: string): string {
  return `${metadata.namespace}/${name}`;
}
