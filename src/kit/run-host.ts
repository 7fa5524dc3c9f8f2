import type { App } from './app/app-options.ts';
import type { RunOptions } from './run-options.ts';

/** A program that loads a module and handles the apps that the module passes to `run`, such as `keelson dev`. */
export interface RunHost {
  /** Takes over an app that was passed to `run`, which returns this promise. */
  run(app: App, options: RunOptions): Promise<void>;
}

/** A module may use another copy of this package than the program that loads it; both find each other here. */
const PLACE = Symbol.for('keelson.run-host');

interface Place {
  [PLACE]?: RunHost;
}

/** The program that takes over the apps of `run`; usually undefined. */
export function runHost(): RunHost | undefined {
  return (globalThis as Place)[PLACE];
}

/** Makes `run` hand its apps to the host until the result is disposed. */
export function hostRuns(host: RunHost): Disposable {
  const place = globalThis as Place;
  place[PLACE] = host;
  return { [Symbol.dispose]: () => void delete place[PLACE] };
}
