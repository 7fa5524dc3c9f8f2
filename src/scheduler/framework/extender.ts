import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { StepOptions } from './plugin.ts';

/** Scores of extenders go from 0 to this. */
export const MAX_EXTENDER_SCORE = 10;

/** The name under which all extenders together reject pods, as if they were a plugin. */
export const EXTENDERS = 'Extender';

/**
 * A program outside of the scheduler that has a say: it is asked after the plugins, and may take its time. What it throws
 * fails the pod's try, unless it is ignorable; scores that it fails to give are done without.
 */
export interface Extender {
  readonly name: string;
  /** Scheduling goes on without it when it fails to filter or to bind. */
  readonly isIgnorable?: boolean;
  /** How much its scores count; 1 unless given. */
  readonly weight?: number;
  /** Resources that it alone counts: NodeResourcesFit leaves them out. */
  readonly ignoredResources?: readonly string[];
  /** Whether it has a say about the pod; about every pod unless given. */
  isInterested?(pod: PodInfo): boolean;
  /** Which of the nodes will do, by name. */
  filter?(pod: PodInfo, nodes: readonly NodeInfo[], options: StepOptions): Promise<ExtenderVerdict>;
  /** How good the nodes are, from 0 to `MAX_EXTENDER_SCORE`; 0 for those that are missing. */
  prioritize?(pod: PodInfo, nodes: readonly NodeInfo[], options: StepOptions): Promise<ReadonlyMap<string, number>>;
  /** Of the nodes on which the victims could make room for the pod, those that will do, perhaps with other victims. */
  preempt?(
    pod: PodInfo,
    victims: ReadonlyMap<string, Victims>,
    options: PreemptOptions,
  ): Promise<ReadonlyMap<string, Victims>>;
  /** Binds the pod in place of the plugins. */
  bind?(pod: PodInfo, nodeName: string, options: StepOptions): Promise<void>;
  /** Lets go of connections when the scheduler stops; they are opened again when it goes on. */
  close?(): void;
}

export interface PreemptOptions extends StepOptions {
  /** The nodes, for extenders that name other victims than those they were given. */
  readonly snapshot?: Snapshot;
}

export interface ExtenderVerdict {
  readonly nodes: readonly string[];
  /** Why others will not do, by their names. */
  readonly failed?: ReadonlyMap<string, string>;
  /** The same for nodes that would not do without any other pods on them either. These count first. */
  readonly unresolvable?: ReadonlyMap<string, string>;
}

/** Pods that would have to go from a node. */
export interface Victims {
  readonly pods: readonly PodInfo[];
  /** How many of them must not go by their disruption budgets. */
  readonly budgetViolations: number;
}
