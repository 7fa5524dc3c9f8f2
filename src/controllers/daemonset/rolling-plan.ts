import { isAvailable } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { isUpdated } from './daemon-pod.ts';
import { boundsOf, type DaemonSetView } from './daemon-view.ts';
import type { NodeFit } from './node-fit.ts';
import type { DaemonPlan } from './node-plan.ts';

type Pods = readonly Observed<Pod>[];

/** The nodes and pods of a DaemonSet as a rollout finds them. */
export interface RollingInput {
  /** By the name of the node. */
  readonly fits: ReadonlyMap<string, NodeFit>;
  readonly pods: ReadonlyMap<string, Pods>;
  readonly hash: string;
  readonly nowMs: number;
}

/** The old and the new pod of a node; undefined when it has several of one kind, which have to be put in order first. */
type Pair = { readonly newPod: Observed<Pod> | undefined; readonly oldPod: Observed<Pod> | undefined } | undefined;

/** Which old pods go, and which nodes get a new one beside their old one, within the bounds of the strategy. */
export function planRollingUpdate(set: DaemonSetView, input: RollingInput): DaemonPlan {
  const wanted = [...input.fits].filter(([, { shouldRun }]) => shouldRun).map(([name]) => name);
  const { surge, unavailable } = boundsOf(set, wanted.length);
  const names = new Set([...input.pods.keys(), ...wanted]);
  const nodes = [...names].map((name) => ({ name, pair: pairOf(input.pods.get(name) ?? [], set, input) }));
  const isWell = (pod: Observed<Pod>): boolean => isAvailable(pod, set.minReadySeconds, input.nowMs);
  if (surge === 0) return replaceInPlace(nodes, unavailable, isWell);
  return replaceBeside(nodes, { surge, wanted: wanted.length, fits: input.fits }, isWell);
}

type Nodes = readonly { readonly name: string; readonly pair: Pair }[];
type IsWell = (pod: Observed<Pod>) => boolean;

/** Old pods are deleted so that no more than `unavailable` nodes are without a working pod. Those that do not work go at once. */
function replaceInPlace(nodes: Nodes, unavailable: number, isWell: IsWell): DaemonPlan {
  let missing = 0;
  const broken: Observed<Pod>[] = [];
  const working: Observed<Pod>[] = [];
  for (const { pair } of nodes) {
    const { newPod, oldPod } = pair ?? {};
    const only = newPod === undefined ? oldPod : oldPod === undefined ? newPod : undefined;
    if (only === undefined || !isWell(only)) missing += 1;
    if (only !== undefined && only === oldPod) (isWell(only) ? working : broken).push(only);
  }
  return { create: [], delete: [...broken, ...working.slice(0, Math.max(0, unavailable - missing))] };
}

interface SurgeBounds {
  readonly surge: number;
  /** How many nodes are to have a pod. */
  readonly wanted: number;
  readonly fits: ReadonlyMap<string, NodeFit>;
}

/** New pods are made beside old ones, on no more than `surge` nodes at a time; an old one goes when the new one works. */
function replaceBeside(nodes: Nodes, { surge, wanted, fits }: SurgeBounds, isWell: IsWell): DaemonPlan {
  let surging = 0;
  let available = 0;
  const gone: Observed<Pod>[] = [];
  const unwanted: Observed<Pod>[] = [];
  const atOnce: string[] = [];
  const inTurn: string[] = [];
  for (const { name, pair } of nodes) {
    if (pair === undefined) {
      surging += 1;
      continue;
    }
    const { newPod, oldPod } = pair;
    const counted = oldPod ?? newPod;
    if (counted !== undefined && isWell(counted)) available += 1;
    if (oldPod === undefined) continue; // one that is missing is made in any case
    if (newPod !== undefined) {
      if (isWell(newPod)) gone.push(oldPod);
      else surging += 1;
      continue;
    }
    const fit = fits.get(name);
    if (fit === undefined) throw new Error(`couldn't get node for nodeName "${name}": node "${name}" not found`);
    if (fit.shouldRun) (isWell(oldPod) ? inTurn : atOnce).push(name);
    else (isWell(oldPod) ? unwanted : gone).push(oldPod);
  }
  // A pod on a node that is no longer wanted goes only when enough others work.
  const spare = Math.max(0, available - wanted);
  return {
    create: [...atOnce, ...inTurn.slice(0, Math.max(0, surge - surging))],
    delete: [...gone, ...unwanted.slice(0, spare)],
  };
}

function pairOf(pods: Pods, set: DaemonSetView, { hash }: RollingInput): Pair {
  let newPod: Observed<Pod> | undefined;
  let oldPod: Observed<Pod> | undefined;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    if (isUpdated(pod, set, hash)) {
      if (newPod !== undefined) return undefined;
      newPod = pod;
    } else {
      if (oldPod !== undefined) return undefined;
      oldPod = pod;
    }
  }
  return { newPod, oldPod };
}
