import { messageOf } from '../../base/index.ts';
import { type RunCause, RunTracker, type TrackedRun } from '../../kit/index.ts';

/** The runs of one process, which end when it is killed, wherever they are. */
export class ProcessRuns extends RunTracker {
  readonly #world: RunTracker;
  readonly #killed: Promise<never>;
  /** The objects whose last run failed, with the reason. */
  readonly #failures = new Map<string, string>();

  /** `world` tracks the runs of all processes; `killed` rejects when this one is killed. */
  constructor(world: RunTracker, killed: Promise<never>) {
    super();
    this.#world = world;
    this.#killed = killed;
    this.onEnd = (run, record) => {
      const name = `${record.controller} ${record.key}`;
      this.#failures.delete(name);
      if (record.outcome === 'failed') this.#failures.set(name, messageOf(record.error));
      world.onEnd?.(run, record);
    };
  }

  /** Why the last run of an object failed; undefined if that of no object did. */
  get lastFailure(): string | undefined {
    const [[name, message] = []] = [...this.#failures].slice(-1);
    return name === undefined ? undefined : `reconciling fails (${name}: ${message})`;
  }

  override get current(): TrackedRun | undefined {
    return this.#world.current;
  }

  override get cause(): RunCause | undefined {
    return this.#world.cause;
  }

  override telling<T>(change: RunCause, tell: () => T): T {
    return this.#world.telling(change, tell);
  }

  override get underWay(): Iterable<TrackedRun> {
    return this.#world.underWay;
  }

  override begin(info: Omit<TrackedRun, 'timers' | 'id'>): TrackedRun {
    return this.#world.begin(info);
  }

  override during<T>(run: TrackedRun, work: () => Promise<T>): Promise<T> {
    return this.#world.during(run, () => Promise.race([work(), this.#killed]));
  }

  override waiting(workers: object): number {
    return this.#world.waiting(workers);
  }
}
