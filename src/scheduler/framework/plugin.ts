import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { EventInterest } from './cluster-event.ts';
import type { Cycle } from './cycle.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Rejection } from './rejection.ts';

/** Scores go from 0 to this. */
export const MAX_NODE_SCORE = 100;

/**
 * A part of scheduling. It serves the extension points whose methods it has, in a profile that enables it.
 *
 * A method that gives nothing back lets the pod pass. What it throws is a fault: the pod is tried again later.
 */
export interface Plugin {
  /** As in profiles, messages and metrics. */
  readonly name: string;
  /** Which changes may make a pod schedulable that this plugin has rejected. Without any, only time helps it. */
  readonly events?: readonly EventInterest[];

  /** Whether a pod may be tried at all. */
  preEnqueue?(pod: PodInfo): Rejection | undefined;
  /** Whether the first pod is to be tried before the second. A scheduler has one plugin for this. */
  queueSort?(first: QueuedPod, second: QueuedPod): boolean;
  /** Works out once what Filter needs, or says that Filter has nothing to say, or that only some nodes come into question. */
  preFilter?(cycle: Cycle, snapshot: Snapshot): PreFilterAnswer;
  /** Brings what `preFilter` has worked out up to date for a trial in which another pod is on the node; it is there already. */
  addPod?(cycle: Cycle, pod: PodInfo, node: NodeInfo): void;
  /** The same for a trial in which a pod is gone from the node. */
  removePod?(cycle: Cycle, pod: PodInfo, node: NodeInfo): void;
  /** Whether the pod may go to the node. Called for very many nodes. */
  filter?(cycle: Cycle, node: NodeInfo): Rejection | undefined;
  /** After all nodes were rejected: does something so that a later try succeeds, or says why it cannot. */
  postFilter?(cycle: Cycle, context: PostFilterContext): PostFilterAnswer | Promise<PostFilterAnswer>;
  /** Works out once what Score needs, or says that Score has nothing to say. */
  preScore?(cycle: Cycle, nodes: readonly NodeInfo[], snapshot: Snapshot): 'skip' | undefined;
  /** How good the node is for the pod: 0 to `MAX_NODE_SCORE`, or any number if there is `normalizeScore`. */
  score?(cycle: Cycle, node: NodeInfo): number;
  /** Brings the scores of all nodes into the range, in place. */
  normalizeScore?(cycle: Cycle, scores: Float64Array): void;
  /** Takes what the pod needs on its node, before the pod is bound. */
  reserve?(cycle: Cycle, nodeName: string): Rejection | undefined;
  /** Gives back what `reserve` took, or would have taken. Never fails. */
  unreserve?(cycle: Cycle, nodeName: string): void;
  /** A last decision before the pod is bound; a promise lets the pod wait. */
  permit?(cycle: Cycle, nodeName: string, options: StepOptions): Rejection | undefined | Promise<Rejection | undefined>;
  /** Does what must be done before the pod is bound. */
  preBind?(cycle: Cycle, nodeName: string, options: StepOptions): Promise<void>;
  /** Binds the pod; `false` leaves it to the next plugin. */
  bind?(cycle: Cycle, nodeName: string, options: StepOptions): Promise<boolean>;
  /** Called after the pod was bound. */
  postBind?(cycle: Cycle, nodeName: string): void;
}

/** `skip` means that Filter has nothing to say about the pod, `nodes` that no other nodes come into question. */
export type PreFilterAnswer = undefined | 'skip' | { readonly nodes: ReadonlySet<string> } | Rejection;

/** The node on which the pod will probably find room; the empty name takes back an earlier nomination. */
export interface Nomination {
  readonly nominatedNodeName: string;
}

/** Done, or a nomination: what was done makes it worth while to wait. A rejection says why nothing could be done. */
export type PostFilterAnswer = 'done' | Nomination | (Rejection & Partial<Nomination>);

export interface PostFilterContext extends StepOptions {
  readonly snapshot: Snapshot;
  readonly diagnosis: Diagnosis;
  /** Begins a trial on a node. */
  trial(node: NodeInfo): NodeTrial;
}

/** A copy of a node, and of what plugins have worked out, to find out what the filters would say with other pods on it. */
export interface NodeTrial {
  readonly node: NodeInfo;
  add(pod: PodInfo): void;
  remove(pod: PodInfo): void;
  /** Runs the filters; pods that are nominated for the node count. */
  filter(): Rejection | undefined;
}

/** Options of steps that may wait. */
export interface StepOptions {
  readonly signal: AbortSignal;
}
