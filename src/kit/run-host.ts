import type { App } from './app/app-options.ts';
import type { RunOptions } from './run-options.ts';

/** A program that has loaded somebody's module to do something else with its apps than run them as programs. */
export interface RunHost {
  /** Takes over an app that was given to `run`. The promise is what `run` returns. */
  run(app: App, options: RunOptions): Promise<void>;
}

/** A module may have another copy of this package than the program that loads it; they meet here. */
const PLACE = Symbol.for('keelson.run-host');

interface Place {
  [PLACE]?: RunHost;
}

/** Whoever takes over what is given to `run`; nobody in most programs. */
export function runHost(): RunHost | undefined {
  return (globalThis as Place)[PLACE];
}

/** Has `run` hand over its apps, in place of running them, until the result is disposed of. */
export function hostRuns(host: RunHost): Disposable {
  const place = globalThis as Place;
  place[PLACE] = host;
  return { [Symbol.dispose]: () => void delete place[PLACE] };
}
