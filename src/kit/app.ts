import type { Client } from '../client/index.ts';
import { Session } from './app/session.ts';
import type { Part } from './part.ts';
import { type ReconcileRecord, type TraceFilter, TraceRing } from './trace.ts';

export interface AppOptions {
  /** The component that events name as their source; the app's name unless given. */
  readonly component?: string;
  /** What is under way when the app stops may take so long to finish before it is aborted; aborted at once unless given. */
  readonly stopGraceMs?: number;
  /** How many reconciles are remembered for `trace`; 1,000 unless given. */
  readonly traceCapacity?: number;
}

/** Controllers and other parts that run together: on one client, with shared caches. */
export interface App {
  readonly name: string;
  /** Runs all parts until the signal aborts, and resolves when everything has ended. Rejects when a part fails for good. */
  run(client: Client, signal: AbortSignal): Promise<void>;
  /** Whether nothing is waiting or under way that could go on without time passing. */
  readonly isIdle: boolean;
  /** The last reconciles, oldest first: which, why, how long, and what came of it. */
  trace(filter?: TraceFilter): readonly ReconcileRecord[];
}

/** An app of the given parts, to be run with a client: `await app('web', [pods]).run(await connect(), signal)`. */
export function app(name: string, parts: readonly Part[], options: AppOptions = {}): App {
  return new RunnableApp(name, parts, options);
}

class RunnableApp implements App {
  readonly name: string;
  readonly #parts: readonly Part[];
  readonly #options: AppOptions;
  readonly #trace: TraceRing;
  #session: Session | undefined;

  constructor(name: string, parts: readonly Part[], options: AppOptions) {
    this.name = name;
    this.#parts = parts;
    this.#options = options;
    this.#trace = new TraceRing(options.traceCapacity);
  }

  get isIdle(): boolean {
    return this.#session?.isIdle ?? true;
  }

  trace(filter?: TraceFilter): readonly ReconcileRecord[] {
    return this.#trace.list(filter);
  }

  async run(client: Client, signal: AbortSignal): Promise<void> {
    if (this.#session !== undefined) throw new Error(`Cannot run app "${this.name}": it is running`);
    const { component = this.name, stopGraceMs = 0 } = this.#options;
    this.#session = new Session(this.#parts, { name: this.name, component, client, trace: this.#trace, stopGraceMs });
    try {
      await this.#session.run(signal);
    } finally {
      this.#session = undefined;
    }
  }
}
