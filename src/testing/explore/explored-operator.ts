import type { App } from '../../kit/index.ts';
import type { PastView } from '../faults/index.ts';
import type { TestCluster } from '../test-cluster.ts';
import type { ExploredProcess, ProcessSurroundings } from './explored-process.ts';
import type { Journal } from './journal.ts';
import type { Problem } from './problem.ts';

/** How an explored operator is started, and how runs with it are judged. */
export interface ExploredOperator<Outside = unknown> {
  /** Names it in reports. */
  readonly name: string;
  /** The kinds that it defines itself, which are installed at the beginning. */
  readonly resources: App['resources'];
  /** Where virtual time begins in the two worlds that are compared; undefined: now. */
  readonly startAt: { readonly own: string; readonly other: string } | undefined;
  /** How long runs wait that learn what time alone changes. */
  readonly pauseMs: number;
  /**
   * Whether real time passes for it, in which days cannot pass, and in which a run may go another way the second time: what it shows is
   * tried again before it is reported.
   */
  readonly isInRealTime: boolean;
  /** How many runs go on at the same time. */
  readonly parallel: number;
  /** Whether there is a version before, from which it can be upgraded. */
  readonly hasFormer: boolean;
  /** Whether a traced run shows what it does. */
  readonly isTraced: boolean;
  /** Opens what the processes of one run need, in the run's own cluster. */
  open(cluster: TestCluster): Promise<OperatorHost<Outside>>;
  /** How a plan is repeated, in words. */
  repeatWords(plan: string): string;
  /** Rights that the run used without having declared them, or that it lacked. */
  rightsProblems(journal: Journal): readonly Problem[];
}

/** Starts the processes of one run, and lets time pass for them. */
export interface OperatorHost<Outside = unknown> extends AsyncDisposable {
  /** Times after which the state is looked at, until it is as expected. */
  readonly patienceMs: readonly number[];
  /** How long nothing happens at the end of a run. */
  readonly idleMs: number;
  /** How long it takes until another replica leads. */
  readonly leaseMs: number;
  start(around: ProcessSurroundings, options: StartOptions<Outside>): Promise<ExploredProcess>;
  /** Resolves when nothing is left to do; rejects when that does not come. `isHeld`: watches are held meanwhile. */
  settle(options: { readonly isHeld: boolean }): Promise<void>;
  pass(ms: number): Promise<void>;
}

export interface StartOptions<Outside> {
  readonly outside: Outside;
  /** Starts the version before. */
  readonly isFormer: boolean;
  /** The state that lists show until the process catches up. */
  readonly past?: PastView;
}
