import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { StepOptions } from './plugin.ts';

/** The highest score of an extender; the lowest is 0. */
export const MAX_EXTENDER_SCORE = 10;

/** The name under which all extenders together reject pods, as if they were a plugin. */
export const EXTENDERS = 'Extender';

/**
 * A program outside of the scheduler that takes part in scheduling. It is called, asynchronously, after the plugins. An
 * error fails the pod's attempt, unless the extender is ignorable; errors of `prioritize` are ignored.
 */
export interface Extender {
  readonly name: string;
  /** Scheduling continues without it when it fails to filter or bind. */
  readonly isIgnorable?: boolean;
  /** The weight of its scores; default 1. */
  readonly weight?: number;
  /** Resources that only this extender counts: NodeResourcesFit skips them. */
  readonly ignoredResources?: readonly string[];
  /** Whether the extender applies to the pod; default: to every pod. */
  isInterested?(pod: PodInfo): boolean;
  /** Which of the nodes are feasible, by name. */
  filter?(pod: PodInfo, nodes: readonly NodeInfo[], options: StepOptions): Promise<ExtenderVerdict>;
  /** Scores the nodes from 0 to `MAX_EXTENDER_SCORE`; missing nodes count as 0. */
  prioritize?(pod: PodInfo, nodes: readonly NodeInfo[], options: StepOptions): Promise<ReadonlyMap<string, number>>;
  /** The preemption candidates that the extender accepts, possibly with other victims. */
  preempt?(
    pod: PodInfo,
    victims: ReadonlyMap<string, Victims>,
    options: PreemptOptions,
  ): Promise<ReadonlyMap<string, Victims>>;
  /** Binds the pod instead of the Bind plugins. */
  bind?(pod: PodInfo, nodeName: string, options: StepOptions): Promise<void>;
  /** Closes connections when the scheduler stops; they are reopened on demand. */
  close?(): void;
}

/** What an extender works with when it is asked about victims. */
export interface PreemptOptions extends StepOptions {
  /** The nodes, for resolving victims that the extender added. */
  readonly snapshot?: Snapshot;
}

/** The nodes that an extender considers feasible, and why it rejected the others. */
export interface ExtenderVerdict {
  readonly nodes: readonly string[];
  /** Why the other nodes are not feasible, by node name. */
  readonly failed?: ReadonlyMap<string, string>;
  /** The same for nodes where preemption would not help. Takes precedence over `failed`. */
  readonly unresolvable?: ReadonlyMap<string, string>;
}

/** The pods that preemption would evict from a node. */
export interface Victims {
  readonly pods: readonly PodInfo[];
  /** How many of them their PodDisruptionBudgets protect. */
  readonly budgetViolations: number;
}
