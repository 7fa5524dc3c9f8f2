import { isAvailable } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { isUpdated } from './daemon-pod.ts';
import { boundsOf, type DaemonSetView } from './daemon-view.ts';
import type { NodeFit } from './node-fit.ts';
import type { DaemonPlan } from './node-plan.ts';

type Pods = readonly Observed<Pod>[];

/** The nodes and pods at the start of a rolling update step. */
export interface RollingInput {
  /** By the name of the node. */
  readonly fits: ReadonlyMap<string, NodeFit>;
  readonly pods: ReadonlyMap<string, Pods>;
  readonly hash: string;
  readonly nowMs: number;
}

/** The old and the new pod of a node; undefined when it has several of either, which `planNode` must fix first. */
type Pair = { readonly newPod: Observed<Pod> | undefined; readonly oldPod: Observed<Pod> | undefined } | undefined;

/** The old pods to delete, and the nodes that get a surge pod, within maxUnavailable and maxSurge. */
export function planRollingUpdate(set: DaemonSetView, input: RollingInput): DaemonPlan {
  const wanted = [...input.fits].filter(([, { shouldRun }]) => shouldRun).map(([name]) => name);
  const { surge, unavailable } = boundsOf(set, wanted.length);
  const names = new Set([...input.pods.keys(), ...wanted]);
  const nodes = [...names].map((name) => ({ name, pair: pairOf(input.pods.get(name) ?? [], set, input) }));
  const isPodAvailable = (pod: Observed<Pod>): boolean => isAvailable(pod, set.minReadySeconds, input.nowMs);
  if (surge === 0) return replaceInPlace(nodes, unavailable, isPodAvailable);
  return replaceBeside(nodes, { surge, wanted: wanted.length, fits: input.fits }, isPodAvailable);
}

type Nodes = readonly { readonly name: string; readonly pair: Pair }[];
type PodPredicate = (pod: Observed<Pod>) => boolean;

/** Deletes old pods while at most `unavailable` nodes lack an available pod. Unavailable pods are deleted at once. */
function replaceInPlace(nodes: Nodes, unavailable: number, isPodAvailable: PodPredicate): DaemonPlan {
  let missing = 0;
  const broken: Observed<Pod>[] = [];
  const working: Observed<Pod>[] = [];
  for (const { pair } of nodes) {
    const { newPod, oldPod } = pair ?? {};
    const only = newPod === undefined ? oldPod : oldPod === undefined ? newPod : undefined;
    if (only === undefined || !isPodAvailable(only)) missing += 1;
    if (only !== undefined && only === oldPod) (isPodAvailable(only) ? working : broken).push(only);
  }
  return { create: [], delete: [...broken, ...working.slice(0, Math.max(0, unavailable - missing))] };
}

interface SurgeBounds {
  readonly surge: number;
  /** The number of eligible nodes. */
  readonly wanted: number;
  readonly fits: ReadonlyMap<string, NodeFit>;
}

/** Creates new pods beside old ones on at most `surge` nodes; deletes an old pod when the new one is available. */
function replaceBeside(nodes: Nodes, { surge, wanted, fits }: SurgeBounds, isPodAvailable: PodPredicate): DaemonPlan {
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
    if (counted !== undefined && isPodAvailable(counted)) available += 1;
    if (oldPod === undefined) continue; // a missing pod is created in any case
    if (newPod !== undefined) {
      if (isPodAvailable(newPod)) gone.push(oldPod);
      else surging += 1;
      continue;
    }
    const fit = fits.get(name);
    if (fit === undefined) throw new Error(`couldn't get node for nodeName "${name}": node "${name}" not found`);
    if (fit.shouldRun) (isPodAvailable(oldPod) ? inTurn : atOnce).push(name);
    else (isPodAvailable(oldPod) ? unwanted : gone).push(oldPod);
  }
  // A pod on a node that is no longer eligible is deleted only when enough others are available.
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
