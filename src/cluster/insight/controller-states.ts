import type { Clock } from '../../base/index.ts';
import { type App, type ReconcileRecord, workStateOf } from '../../kit/index.ts';

/** What a controller does, as `/keelson/controllers` shows it. */
export interface ControllerState {
  readonly name: string;
  /** The program that it is part of. */
  readonly program: string;
  readonly depth: number;
  readonly active: readonly { readonly key: string; readonly forMs: number }[];
  readonly failing: readonly {
    readonly key: string;
    readonly failures: number;
    readonly message: string;
    /** RFC 3339, with milliseconds; absent for one that waits for a worker already. */
    readonly nextRetry?: string;
  }[];
  /** Of the most recent runs of its program; absent where it had none. */
  readonly runs?: {
    readonly total: number;
    readonly failed: number;
    readonly medianMs: number;
    readonly maxMs: number;
  };
  /** It has nothing to do until an object that it is for exists. */
  readonly isAsleep?: true;
}

/** All controllers of the programs, by name within a program. */
export function controllerStates(
  apps: readonly App[],
  clock: Pick<Clock, 'now' | 'monotonic'>,
): readonly ControllerState[] {
  return apps.flatMap((app) => {
    const parts = app.parts();
    const records = recordsByController(app.trace());
    const awake = parts
      .flatMap(({ work }) => work)
      .map((view): ControllerState => {
        const state = workStateOf(view, clock.monotonic());
        const runs = records.get(state.name);
        const failing = state.failing.map(({ retryInMs, ...rest }) =>
          retryInMs === undefined ? rest : { ...rest, nextRetry: new Date(clock.now() + retryInMs).toISOString() },
        );
        return { ...state, program: app.name, failing, ...(runs === undefined ? {} : { runs: figuresOf(runs) }) };
      });
    const sleeping = parts.flatMap(({ name, isAsleep }): ControllerState[] =>
      isAsleep === true ? [{ name, program: app.name, depth: 0, active: [], failing: [], isAsleep }] : [],
    );
    return [...awake, ...sleeping].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  });
}

function recordsByController(records: readonly ReconcileRecord[]): ReadonlyMap<string, readonly ReconcileRecord[]> {
  const found = new Map<string, ReconcileRecord[]>();
  for (const record of records) {
    const known = found.get(record.controller);
    if (known === undefined) found.set(record.controller, [record]);
    else known.push(record);
  }
  return found;
}

function figuresOf(records: readonly ReconcileRecord[]): ControllerState['runs'] {
  const durations = records.map(({ durationMs }) => durationMs).sort((left, right) => left - right);
  return {
    total: records.length,
    failed: records.filter(({ outcome }) => outcome === 'failed').length,
    medianMs: durations[Math.floor(durations.length / 2)] ?? 0,
    maxMs: durations.at(-1) ?? 0,
  };
}
