import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { EventInterest } from './cluster-event.ts';
import type { Cycle } from './cycle.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Rejection } from './rejection.ts';

/** The highest score of a node; the lowest is 0. */
export const MAX_NODE_SCORE = 100;

/**
 * A scheduling plugin. It takes part at the extension points whose methods it has, in the profiles that enable it.
 *
 * Returning undefined lets the pod pass. An exception is a fault: the pod is tried again later.
 */
export interface Plugin {
  /** The name in profiles, messages and metrics. */
  readonly name: string;
  /**
   * Events that may make a pod schedulable again after this plugin rejected it. Without any, only the periodic flush
   * retries it.
   */
  readonly events?: readonly EventInterest[];

  /** Whether the pod may enter the active queue. */
  preEnqueue?(pod: PodInfo): Rejection | undefined;
  /** Whether the first pod is scheduled before the second. A scheduler has exactly one such plugin. */
  queueSort?(first: QueuedPod, second: QueuedPod): boolean;
  /** Precomputes what Filter needs; may skip Filter or restrict the candidate nodes. */
  preFilter?(cycle: Cycle, snapshot: Snapshot): PreFilterAnswer;
  /** Updates the state of `preFilter` for a trial in which another pod is on the node; `node` already contains it. */
  addPod?(cycle: Cycle, pod: PodInfo, node: NodeInfo): void;
  /** Updates the state of `preFilter` for a trial in which a pod is removed from the node. */
  removePod?(cycle: Cycle, pod: PodInfo, node: NodeInfo): void;
  /** Whether the pod may run on the node. Hot path: called for very many nodes. */
  filter?(cycle: Cycle, node: NodeInfo): Rejection | undefined;
  /** Called when every node was rejected: makes room for a later attempt, or explains why it cannot. */
  postFilter?(cycle: Cycle, context: PostFilterContext): PostFilterAnswer | Promise<PostFilterAnswer>;
  /** Precomputes what Score needs, or skips Score. */
  preScore?(cycle: Cycle, nodes: readonly NodeInfo[], snapshot: Snapshot): 'skip' | undefined;
  /** The node's score for the pod: 0 to `MAX_NODE_SCORE`, or any number if there is `normalizeScore`. */
  score?(cycle: Cycle, node: NodeInfo): number;
  /** Scales the scores of all nodes into the range, in place. */
  normalizeScore?(cycle: Cycle, scores: Float64Array): void;
  /** Reserves what the pod needs on its node, before the pod is bound. */
  reserve?(cycle: Cycle, nodeName: string): Rejection | undefined;
  /** Releases what `reserve` took, or would have taken. Must not throw. */
  unreserve?(cycle: Cycle, nodeName: string): void;
  /** The last decision before the pod is bound; the pod waits while a promise is pending. */
  permit?(cycle: Cycle, nodeName: string, options: StepOptions): Rejection | undefined | Promise<Rejection | undefined>;
  /** Whether `preBind` has something to do; default: yes. A pod that may wait there is nominated for its node. */
  willPreBind?(cycle: Cycle, nodeName: string): boolean;
  /** Work that must be finished before the pod is bound. */
  preBind?(cycle: Cycle, nodeName: string, options: PreBindOptions): Promise<void>;
  /** Binds the pod; `false` leaves it to the next plugin. */
  bind?(cycle: Cycle, nodeName: string, options: StepOptions): Promise<boolean>;
  /** Called after the pod was bound. */
  postBind?(cycle: Cycle, nodeName: string): void;
}

/** `skip` means that Filter does not apply to the pod; `nodes` restricts the candidates. */
export type PreFilterAnswer = undefined | 'skip' | { readonly nodes: ReadonlySet<string> } | Rejection;

/** The node on which the pod is expected to fit later; an empty name removes an earlier nomination. */
export interface Nomination {
  readonly nominatedNodeName: string;
}

/** `done` or a nomination: the plugin made room, so the pod should wait. A rejection explains why it could not. */
export type PostFilterAnswer = 'done' | Nomination | (Rejection & Partial<Nomination>);

/** What a PostFilter plugin works with: the nodes, and why each of them was rejected. */
export interface PostFilterContext extends StepOptions {
  readonly snapshot: Snapshot;
  readonly diagnosis: Diagnosis;
  /** Begins a trial on a node. */
  trial(node: NodeInfo): NodeTrial;
}

/** A copy of a node and of the plugins' state, for running the filters with other pods on it. */
export interface NodeTrial {
  readonly node: NodeInfo;
  add(pod: PodInfo): void;
  remove(pod: PodInfo): void;
  /** Runs the filters; nominated pods of the node count. */
  filter(): Rejection | undefined;
}

/** Options of steps that may wait. */
export interface StepOptions {
  readonly signal: AbortSignal;
}

/** Options of PreBind. */
export interface PreBindOptions extends StepOptions {
  /**
   * Waits for another component without counting towards the limit of bindings in flight. Its signal aborts the wait
   * when the scheduler stops.
   */
  rest<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
