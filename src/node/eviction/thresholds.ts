// From what limit on a node evicts pods, and which limits are reached: pure functions over what was configured and measured.
import { type Duration, millisecondsOf } from '../../base/index.ts';
import { parseQuantity, Quantity } from '../../api/values/index.ts';
import {
  type EvictionSignal,
  isSignal,
  type NodeMeasurement,
  type Observation,
  type Observations,
  type PressureCondition,
  SIGNALS,
} from './signals.ts';

/** Amount, in bytes or a number, or a part of the capacity. */
export type ThresholdAmount =
  | { readonly type: 'quantity'; readonly value: number }
  | { readonly type: 'share'; readonly share: number };

export interface Threshold {
  readonly signal: EvictionSignal;
  readonly amount: ThresholdAmount;
  /** Time that less than the amount may be left before pods are evicted; 0 for hard thresholds. */
  readonly graceMs: number;
  /** Reclaiming goes on until this much more is available. */
  readonly minReclaim: ThresholdAmount | undefined;
}

/** The texts of a KubeletConfiguration, by signal. */
export interface ThresholdTexts {
  readonly evictionHard?: Readonly<Record<string, string>>;
  readonly evictionSoft?: Readonly<Record<string, string>>;
  /** Milliseconds by signal. */
  readonly evictionSoftGrace?: Readonly<Record<string, Duration>>;
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>;
  /** Whether `enforceNodeAllocatable` has `pods`: memory is then watched in the cgroup of all pods, too. Default true. */
  readonly enforcesAllocatable?: boolean;
}

export const DEFAULT_HARD: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

/** Reads thresholds; throws when a signal, an amount or a grace period cannot be used. */
export function readThresholds(texts: ThresholdTexts): readonly Threshold[] {
  const { evictionHard = DEFAULT_HARD, evictionSoft = {}, evictionSoftGrace = {}, enforcesAllocatable = true } = texts;
  const reclaims = new Map(statements(texts.evictionMinimumReclaim ?? {}));
  const hard = statements(evictionHard).map(([signal, amount]) => threshold(signal, amount, 0));
  const soft = statements(evictionSoft).map(([signal, amount]) => {
    const grace = evictionSoftGrace[signal];
    if (grace === undefined)
      throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
    return threshold(signal, amount, millisecondsOf(grace));
  });
  const all = [...hard, ...soft].map((each) => ({ ...each, minReclaim: reclaims.get(each.signal) }));
  const forAllPods = enforcesAllocatable
    ? all.filter(({ signal, graceMs }) => signal === 'memory.available' && graceMs === 0)
    : [];
  return [...all, ...forAllPods.map((each): Threshold => ({ ...each, signal: 'allocatableMemory.available' }))];
}

function threshold(signal: EvictionSignal, amount: ThresholdAmount, graceMs: number): Threshold {
  return { signal, amount, graceMs, minReclaim: undefined };
}

function statements(texts: Readonly<Record<string, string>>): (readonly [EvictionSignal, ThresholdAmount])[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (!isSignal(name)) throw new Error(`unsupported eviction signal ${name}`);
    if (text === '0%' || text === '100%') return []; // never reached, or meaningless
    return [[name, amountOf(name, text)] as const];
  });
}

function amountOf(signal: string, text: string): ThresholdAmount {
  if (text.endsWith('%')) {
    const percent = Number(text.slice(0, -1));
    if (!(percent > 0 && percent <= 100))
      throw new Error(`eviction percentage threshold ${signal} must be > 0% and <= 100%, got ${text}`);
    return { type: 'share', share: percent / 100 };
  }
  const parsed = parseQuantity(text);
  if (!(parsed instanceof Quantity)) throw new Error(`eviction threshold ${signal} must be a quantity: ${text}`);
  const value = parsed.value();
  if (value < 0) throw new Error(`eviction threshold ${signal} must be positive: ${text}`);
  return { type: 'quantity', value };
}

/** The file system of containers has the thresholds of the one that it is on. */
export function withContainerFilesystem(
  thresholds: readonly Threshold[],
  { hasImageFilesystem }: Pick<NodeMeasurement, 'hasImageFilesystem'>,
): readonly Threshold[] {
  const source = hasImageFilesystem ? 'imagefs' : 'nodefs';
  const others = thresholds.filter(({ signal }) => SIGNALS[signal].filesystem !== 'containerfs');
  const derived = others.flatMap((each): Threshold[] => {
    if (SIGNALS[each.signal].filesystem !== source) return [];
    return [
      { ...each, signal: each.signal.endsWith('.available') ? 'containerfs.available' : 'containerfs.inodesFree' },
    ];
  });
  return [...others, ...derived];
}

export function valueOf(amount: ThresholdAmount, capacity: number): number {
  return amount.type === 'share' ? Math.trunc(capacity * amount.share) : amount.value;
}

/** The thresholds that are reached; with `reclaims`, also those from which the minimum was not reclaimed yet. */
export function metThresholds(
  thresholds: readonly Threshold[],
  observations: Observations,
  reclaims: boolean,
): readonly Threshold[] {
  return thresholds.filter(({ signal, amount, minReclaim }) => {
    const observed = observations.get(signal);
    if (observed === undefined) return false;
    const more = reclaims && minReclaim !== undefined ? valueOf(minReclaim, observed.capacity) : 0;
    return observed.available < valueOf(amount, observed.capacity) + more;
  });
}

/** What evictions remember between two looks at the node. */
export interface EvictionState {
  /** Thresholds that are reached, with their grace period over. */
  readonly met: readonly Threshold[];
  readonly firstMetAtMs: ReadonlyMap<string, number>;
  readonly lastSeenAtMs: ReadonlyMap<PressureCondition, number>;
  /** What the node reports. */
  readonly conditions: ReadonlySet<PressureCondition>;
}

export const CALM: EvictionState = { met: [], firstMetAtMs: new Map(), lastSeenAtMs: new Map(), conditions: new Set() };

/** The state after a look. Conditions stay for the transition period after their threshold was left behind. */
export function nextState(
  before: EvictionState,
  look: {
    readonly thresholds: readonly Threshold[];
    readonly observations: Observations;
    readonly nowMs: number;
    readonly transitionMs: number;
  },
): EvictionState {
  const { thresholds, observations, nowMs, transitionMs } = look;
  const reached = new Map(
    [...metThresholds(thresholds, observations, false), ...metThresholds(before.met, observations, true)].map(
      (each) => [keyOf(each), each],
    ),
  );
  const firstMetAtMs = new Map([...reached.keys()].map((key) => [key, before.firstMetAtMs.get(key) ?? nowMs]));
  const seen = new Set([...reached.values()].map(({ signal }) => SIGNALS[signal].condition));
  const lastSeenAtMs = new Map([...before.lastSeenAtMs, ...[...seen].map((condition) => [condition, nowMs] as const)]);
  const conditions = new Set(
    [...lastSeenAtMs]
      .filter(([condition, atMs]) => seen.has(condition) || nowMs - atMs < transitionMs)
      .map(([condition]) => condition),
  );
  const met = [...reached]
    .filter(([key, { graceMs }]) => nowMs - (firstMetAtMs.get(key) ?? nowMs) >= graceMs)
    .map(([, each]) => each);
  return { met, firstMetAtMs, lastSeenAtMs, conditions };
}

function keyOf({ signal, graceMs }: Threshold): string {
  return `${signal} ${graceMs}`;
}

/** The threshold to act on: memory comes first. */
export function mostUrgent(thresholds: readonly Threshold[]): Threshold | undefined {
  return thresholds.find(({ signal }) => SIGNALS[signal].resource === 'memory') ?? thresholds[0];
}

/** The first reached threshold of a resource, and what is left there. */
export function shortage(
  resource: string,
  thresholds: readonly Threshold[],
  observations: Observations,
): { readonly amount: number; readonly observed: Observation } | undefined {
  for (const { signal, amount } of thresholds) {
    const observed = observations.get(signal);
    if (SIGNALS[signal].resource === resource && observed !== undefined)
      return { amount: valueOf(amount, observed.capacity), observed };
  }
  return undefined;
}
