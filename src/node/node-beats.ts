import type { Clock } from '../base/index.ts';
import type { NodeTask } from './compose-agent.ts';
import { RENEW_EVERY_MS, REPORT_EVERY_MS } from './machine/index.ts';
import { GROW_EVERY_MS } from './volumes/index.ts';

type Beat = Extract<NodeTask['type'], 'renew' | 'report' | 'grow' | 'relist' | 'refresh' | 'resize'>;

/** The resource that each task writes, and its interval: the role of its timer. */
const BEATS: Readonly<Record<Beat, { readonly resource: string; readonly periodMs: number }>> = {
  renew: { resource: 'leases', periodMs: RENEW_EVERY_MS },
  report: { resource: 'nodes', periodMs: REPORT_EVERY_MS },
  grow: { resource: 'persistentvolumeclaims', periodMs: GROW_EVERY_MS },
  relist: { resource: 'containers', periodMs: REPORT_EVERY_MS },
  refresh: { resource: 'volumes', periodMs: GROW_EVERY_MS },
  resize: { resource: 'pods', periodMs: GROW_EVERY_MS },
};

/** Timers of the recurring tasks of nodes. Each task has one timer, at the earliest time it was planned for. */
export class NodeBeats implements Disposable {
  readonly #clock: Clock;
  readonly #planned = new Map<string, { readonly dueMs: number; readonly timer: Disposable }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  plan(beat: { readonly node: string; readonly type: Beat; readonly afterMs: number }, wake: () => void): void {
    const { resource, periodMs } = BEATS[beat.type];
    const name = `${resource}/${beat.node}`;
    const dueMs = this.#clock.monotonic() + beat.afterMs;
    const planned = this.#planned.get(name);
    if (planned !== undefined && planned.dueMs <= dueMs) return;
    planned?.timer[Symbol.dispose]();
    const act = (): void => {
      this.#planned.delete(name);
      wake();
    };
    const timer = this.#clock.timer(beat.afterMs, act, { type: 'beat', name, periodMs });
    this.#planned.set(name, { dueMs, timer });
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#planned.values()) timer[Symbol.dispose]();
    this.#planned.clear();
  }
}
