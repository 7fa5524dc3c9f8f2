import { qosClassOf } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';

export type CgroupDriver = 'cgroupfs' | 'systemd';

/** A cgroup by the names of its levels from the top: `['kubepods', 'burstable', 'pod1234-abcd']`. */
export type CgroupName = readonly string[];

/** Where the cgroups of pods are. */
export interface PodCgroupPlace {
  /** The cgroup above all pods. */
  readonly root: CgroupName;
  /** False where pods have no cgroups of their own: the runtime then puts containers where it likes. */
  readonly isPerPod: boolean;
}

/** A kubelet's default. */
export const KUBEPODS: PodCgroupPlace = { root: ['kubepods'], isPerPod: true };

const SLICE = '.slice';

/** The path below the mount point: `/kubepods/burstable/pod1` or, with systemd, `/kubepods.slice/kubepods-burstable.slice/…`. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === 'cgroupfs') return `/${name.join('/')}`;
  const parts = name.map((part) => part.replaceAll('-', '_'));
  return parts.length === 0 ? '/' : parts.map((_, index) => `/${parts.slice(0, index + 1).join('-')}${SLICE}`).join('');
}

/** The name for a path in either notation: `/kubepods/burstable`, or `…/kubepods-burstable.slice`. */
export function cgroupNameOf(path: string, driver: CgroupDriver): CgroupName {
  const parts = path.split('/').filter((part) => part !== '');
  if (driver === 'cgroupfs') return parts;
  const last = parts.at(-1);
  if (last === undefined) return [];
  return last
    .slice(0, last.endsWith(SLICE) ? -SLICE.length : undefined)
    .split('-')
    .map((part) => part.replaceAll('_', '-'));
}

/** The cgroup of a QoS class; guaranteed pods are directly below the root. */
export function qosCgroupName(qosClass: string, { root }: PodCgroupPlace): CgroupName {
  return qosClass === 'Guaranteed' ? root : [...root, qosClass.toLowerCase()];
}

/** The cgroup of a pod. */
export function podCgroupName(pod: Observed<Pod>, place: PodCgroupPlace): CgroupName {
  return [...qosCgroupName(qosClassOf(pod), place), `pod${pod.metadata.uid}`];
}
