import { messageOf } from '../../base/index.ts';
import type { WorkQueue } from '../../client/index.ts';
import type { Request } from './request.ts';

/** A look into workers; `workStateOf` makes it readable. Apart, so that bundles of controllers do without that code. */
export interface WorkView {
  readonly name: string;
  readonly queue: Pick<WorkQueue<Request>, 'size' | 'entries' | 'dueMs' | 'failures'>;
  /** How many changes are held back to be merged. */
  readonly held: number;
  /** The last errors of keys that fail, by key. */
  readonly errors: ReadonlyMap<string, unknown>;
}

/** What workers are doing. */
export interface WorkState {
  readonly name: string;
  /** Keys that wait for a worker. */
  readonly depth: number;
  /** Keys that are worked on. */
  readonly active: readonly { readonly key: string; readonly forMs: number }[];
  /** Keys whose last run failed; `retryInMs` is absent for one that waits for a worker already. */
  readonly failing: readonly {
    readonly key: string;
    readonly failures: number;
    readonly message: string;
    readonly retryInMs?: number;
  }[];
}

/** What is waiting, being done and failing; `nowMs` is the clock's monotonic time. */
export function workStateOf({ name, queue, held, errors }: WorkView, nowMs: number): WorkState {
  return {
    name,
    depth: held + queue.size,
    active: [...queue.entries].flatMap(([key, { workingSinceMs }]) =>
      workingSinceMs === undefined ? [] : [{ key, forMs: nowMs - workingSinceMs }],
    ),
    failing: [...errors].map(([key, error]) => {
      const dueMs = queue.dueMs(key);
      const failures = queue.failures({ key, why: [] });
      const retry = dueMs === undefined ? {} : { retryInMs: Math.max(0, dueMs - nowMs) };
      return { key, failures, message: messageOf(error), ...retry };
    }),
  };
}
