import { type RunCause, RunTracker, type TrackedRun } from '../../kit/index.ts';

/** The runs of one process, which end when it is killed, wherever they are. */
export class ProcessRuns extends RunTracker {
  readonly #world: RunTracker;
  readonly #killed: Promise<never>;

  /** `world` tracks the runs of all processes; `killed` rejects when this one is killed. */
  constructor(world: RunTracker, killed: Promise<never>) {
    super();
    this.#world = world;
    this.#killed = killed;
    this.onEnd = (run, record) => world.onEnd?.(run, record);
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
