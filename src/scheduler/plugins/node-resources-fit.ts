import { isAssigned, isExtendedResource } from '../../api/meaning/index.ts';
import { unreachable } from '../../base/index.ts';
import { DeviceClass, type Node, type Pod } from '../../client/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { PodInfo } from '../cache/pod-info.ts';
import { Resources } from '../cache/resources.ts';
import { isProvidedByClass, isProvidedByDevices } from '../devices/extended-resources.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { CycleKey } from '../framework/cycle.ts';
import type { Plugin } from '../framework/plugin.ts';
import type { PluginContext } from '../framework/plugin-context.ts';
import type { Rejection } from '../framework/rejection.ts';
import { type FitSettings, readFitArgs } from './fit-args.ts';
import {
  allocationScore,
  type AllocationScoring,
  byUtilization,
  leastAllocated,
  mostAllocated,
  nonZeroPodAmounts,
} from './resource-allocation.ts';

const NAME = 'NodeResourcesFit';
const amounts: CycleKey<Float64Array> = { name: `PreScore${NAME}` };

/** Filter: a node must have what the pod requests. Score: by utilization, according to the scoring strategy. */
export function nodeResourcesFit({ args, objects }: Pick<PluginContext, 'args' | 'objects'>): Plugin {
  const settings = readFitArgs(args);
  const { ignoredResources, ignoredResourceGroups, resources } = settings;
  const classes = objects(DeviceClass);
  const isIgnored: IgnoresResource = (name, allocatable) =>
    (isExtendedResource(name) &&
      (ignoredResources.has(name) || ignoredResourceGroups.has(name.slice(0, name.indexOf('/'))))) ||
    isProvidedByDevices(name, allocatable, classes);
  const rejections = new RejectionTable();
  const scoring = scoringOf(settings);
  return {
    name: NAME,
    events: [
      { resource: 'Pod', actions: ['Delete', 'UpdatePodScaleDown'], isWorthRetry: isRoomFreed },
      {
        resource: 'Node',
        actions: ['Add', 'UpdateNodeAllocatable'],
        isWorthRetry: (pod, change: Change<Node>) => hasNodeGrown(pod, change, isIgnored),
      },
      {
        resource: 'DeviceClass',
        actions: ['Add', 'Update'],
        isWorthRetry: isClassOfInterest,
      },
    ],
    filter: ({ pod }, node) => rejections.for(shortOf(pod.requests, node, isIgnored)),
    preScore(cycle) {
      cycle.write(amounts, nonZeroPodAmounts(cycle.pod, resources));
      return undefined;
    },
    score: (cycle, node) => allocationScore(cycle.read(amounts), node, scoring),
  };
}

function scoringOf({ resources, strategy, shape }: FitSettings): AllocationScoring {
  switch (strategy) {
    case 'LeastAllocated':
      return { resources, isNonZero: true, score: leastAllocated };
    case 'MostAllocated':
      return { resources, isNonZero: true, score: mostAllocated };
    case 'RequestedToCapacityRatio':
      return { resources, isNonZero: true, score: byUtilization(shape), isOverScoredOnly: true };
    default:
      return unreachable(strategy);
  }
}
/**
 * Whether Filter ignores that the node lacks a resource: DynamicResources handles those that device classes provide.
 */
type IgnoresResource = (name: string, allocatable: Resources) => boolean;

/** The resources that a node lacks, and whether preemption cannot help. */
interface Shortage {
  readonly reasons: readonly string[];
  readonly isUnresolvable: boolean;
}

const COMMON_REASONS = ['Too many pods', 'Insufficient cpu', 'Insufficient memory', 'Insufficient ephemeral-storage'];
const UNRESOLVABLE = 1 << COMMON_REASONS.length;
const NO_SCALARS: readonly string[] = [];

/** Caches rejections: many nodes are rejected for few reasons. */
class RejectionTable {
  readonly #made = new Map<string | number, Rejection>();

  for(shortage: number | Shortage): Rejection | undefined {
    if (shortage === 0) return undefined;
    const key = typeof shortage === 'number' ? shortage : `${shortage.isUnresolvable}:${shortage.reasons.join('\0')}`;
    let rejection = this.#made.get(key);
    if (rejection === undefined) {
      const { reasons, isUnresolvable } = typeof shortage === 'number' ? describe(shortage, NO_SCALARS) : shortage;
      rejection = { code: isUnresolvable ? 'UnschedulableAndUnresolvable' : 'Unschedulable', plugin: NAME, reasons };
      if (this.#made.size < 1000) this.#made.set(key, rejection);
    }
    return rejection;
  }
}

/**
 * 0 when the pod fits; a bit set of the common resources that are short; a description when scalar ones are short as
 * well.
 */
function shortOf(wanted: Resources, node: NodeInfo, isIgnored: IgnoresResource): number | Shortage {
  const { allocatable, requested } = node;
  let bits = node.pods.length + 1 > allocatable.pods ? 1 : 0;
  if (wanted.milliCpu > 0 && wanted.milliCpu > allocatable.milliCpu - requested.milliCpu)
    bits |= 2 | (wanted.milliCpu > allocatable.milliCpu ? UNRESOLVABLE : 0);
  if (wanted.memory > 0 && wanted.memory > allocatable.memory - requested.memory)
    bits |= 4 | (wanted.memory > allocatable.memory ? UNRESOLVABLE : 0);
  if (
    wanted.ephemeralStorage > 0 &&
    wanted.ephemeralStorage > allocatable.ephemeralStorage - requested.ephemeralStorage
  )
    bits |= 8 | (wanted.ephemeralStorage > allocatable.ephemeralStorage ? UNRESOLVABLE : 0);
  return wanted.scalars === undefined ? bits : withScalars(bits, wanted.scalars, { node, isIgnored });
}

function withScalars(
  bits: number,
  wanted: ReadonlyMap<string, number>,
  { node, isIgnored }: { readonly node: NodeInfo; readonly isIgnored: IgnoresResource },
): number | Shortage {
  let all = bits;
  let short: string[] | undefined;
  for (const [name, amount] of wanted) {
    const allocatable = node.allocatable.scalar(name);
    if (amount === 0 || amount <= allocatable - node.requested.scalar(name) || isIgnored(name, node.allocatable))
      continue;
    (short ??= []).push(`Insufficient ${name}`);
    if (amount > allocatable) all |= UNRESOLVABLE;
  }
  return short === undefined ? all : describe(all, short);
}

function describe(bits: number, scalars: readonly string[]): Shortage {
  const common = COMMON_REASONS.filter((_, index) => (bits & (1 << index)) !== 0);
  return { reasons: [...common, ...scalars], isUnresolvable: (bits & UNRESOLVABLE) !== 0 };
}

/** A pod on a node was removed, or that pod or the waiting pod itself now requests less. */
function isRoomFreed(pod: PodInfo, { old, now }: Change<Pod>): boolean {
  if (now === undefined) return old !== undefined && (isAssigned(old) || (old.status?.nominatedNodeName ?? '') !== '');
  if (now.metadata.uid === pod.uid) return true;
  if (!isAssigned(now) || old === undefined) return false;
  return hasGrown(pod.requests, new PodInfo(now).requests, new PodInfo(old).requests);
}

/** The node could take the pod if it were empty, and is new or has more of what the pod requests. */
function hasNodeGrown(pod: PodInfo, { old, now }: Change<Node>, isIgnored: IgnoresResource): boolean {
  if (now === undefined) return true;
  const room = Resources.read(now.status?.allocatable);
  if (room.pods < 1 || !fits(pod.requests, room, isIgnored)) return false;
  if (old === undefined) return true;
  const before = Resources.read(old.status?.allocatable);
  return room.pods > before.pods || hasGrown(pod.requests, before, room);
}

function fits(wanted: Resources, room: Resources, isIgnored: IgnoresResource): boolean {
  if (wanted.milliCpu > room.milliCpu || wanted.memory > room.memory) return false;
  if (wanted.ephemeralStorage > room.ephemeralStorage) return false;
  for (const [name, amount] of wanted.scalars ?? [])
    if (amount > room.scalar(name) && !isIgnored(name, room)) return false;
  return true;
}

/** The class now provides a resource that the pod requests, and did not before. */
function isClassOfInterest({ requests }: PodInfo, { old, now }: Change<DeviceClass>): boolean {
  if (now === undefined || (old !== undefined && old.spec.extendedResourceName === now.spec.extendedResourceName))
    return false;
  return [...(requests.scalars?.keys() ?? [])].some((name) => isProvidedByClass(name, now));
}

/** Whether any requested resource increased. */
function hasGrown(wanted: Resources, before: Resources, after: Resources): boolean {
  if (wanted.milliCpu > 0 && after.milliCpu > before.milliCpu) return true;
  if (wanted.memory > 0 && after.memory > before.memory) return true;
  if (wanted.ephemeralStorage > 0 && after.ephemeralStorage > before.ephemeralStorage) return true;
  for (const [name, amount] of wanted.scalars ?? [])
    if (amount > 0 && after.scalar(name) > before.scalar(name)) return true;
  return false;
}
