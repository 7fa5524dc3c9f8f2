import type { TestCluster } from '../test-cluster.ts';
import type { GeneratedNames } from './generated-names.ts';
import type { HeldWatches } from './held-watches.ts';
import type { Journal } from './journal.ts';
import type { Moment, RequestError } from './plan.ts';

/** What happens to a request or a call. */
export type Interception =
  | { readonly type: 'kill'; readonly when: 'before' | 'after' }
  | { readonly type: 'fail'; readonly error: RequestError; readonly effect: boolean }
  /** Something else happens first. */
  | { readonly type: 'meanwhile'; readonly act: () => Promise<void> | void }
  /** The process stands still until the promise resolves. */
  | { readonly type: 'pause'; readonly until: Promise<void> };

export interface ProcessSurroundings {
  readonly cluster: TestCluster;
  readonly journal: Journal;
  readonly names: GeneratedNames;
  readonly held: HeldWatches;
  /** The step under way. */
  step(): number;
  /** What happens at a moment; undefined: nothing. */
  intercept(moment: Moment): Interception | undefined;
}

/** One process of the explored operator. */
export interface ExploredProcess {
  readonly isAlive: boolean;
  /** Why it has ended by itself; undefined where it was killed. */
  readonly failure: unknown;
  /** Why its last attempt for an object failed, as far as that is known; undefined where it did not. */
  readonly lastFailure: string | undefined;
  /** Ends the process as `kill -9` does: none of its code gets another answer. */
  kill(): void;
  /** It stands still, and another replica takes its place: `settle` does not wait for it any more. */
  detach(): void;
  /** Lists show the present from now on. */
  catchUp(): void;
}
