import type { TestCluster } from '../test-cluster.ts';
import type { ClusterState, StartRevisions } from './cluster-state.ts';
import type { Volatility } from './compare-states.ts';
import type { ExploredOperator } from './explored-operator.ts';
import type { Journal } from './journal.ts';
import type { Problem } from './problem.ts';
import type { ScenarioParts } from './scenario.ts';

/** The cluster and the scenario that all runs begin with. */
export interface ExploredWorld<Outside = unknown> {
  /** Set up, idle, and without the operator; runs are made on forks of it. */
  readonly base: TestCluster;
  readonly start: StartRevisions;
  readonly scenario: ScenarioParts<Outside>;
  readonly operator: ExploredOperator<Outside>;
}

/** How a run without faults went, by step. */
export interface Expected {
  readonly states: ReadonlyMap<string, ClusterState>;
  readonly outside: ReadonlyMap<string, unknown>;
  /** What is not compared, by step. */
  readonly volatility: ReadonlyMap<string, Volatility>;
  readonly isOutsideStable: boolean;
  readonly idleWrites: number;
  /** The same after each step; absent where time alone changes what the operator does. */
  readonly idleWritesAfter: ReadonlyMap<string, number>;
}

/** How a run goes, besides its plan. */
export interface RunOptions {
  /** How the run without faults went; absent for that run. */
  readonly expected?: Expected;
  /** Time to pass after each step, to learn what changes with time. */
  readonly pauseMs?: number;
  /** How long nothing happens at the end; default that of the operator. */
  readonly idleMs?: number;
  /** Receives causes and effects at the end, of a cluster that records them. */
  readonly onEnd?: (text: string, svg: string) => void;
}

/** What a change of a field led to. */
export interface InputEffect {
  /** As `KIND path`. */
  readonly field: string;
  readonly hasEffect: boolean;
}

/** One run of a scenario. */
export interface RunResult {
  readonly journal: Journal;
  readonly problems: readonly Problem[];
  /** False if the plan does not fit: a chosen moment did not come, or a change was refused. */
  readonly isApplicable: boolean;
  /** The state after each step, by its name; absent where faults were still active. */
  readonly states: ReadonlyMap<string, ClusterState>;
  readonly outside: ReadonlyMap<string, unknown>;
  /** The writes of the operator while nothing happened for a while, at the end. */
  readonly idleWrites: number;
  /** The same after steps, of runs that wait there. */
  readonly idleWritesAfter: ReadonlyMap<string, number>;
  /** The field that users changed last, and whether that had an effect. */
  readonly input?: InputEffect;
  /** Whether every fault of the plan has happened. */
  readonly wasTaken: boolean;
}
