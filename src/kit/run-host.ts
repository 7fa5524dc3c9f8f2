import type { PolicyRule } from '../api/types/rbac/v1.d.ts';
import type { App } from './app/app-options.ts';
import type { RunOptions } from './run-options.ts';

/** A program that runs on each node beside the node's agent, such as a driver of devices: what a DaemonSet of it needs. */
export interface NodePlugin {
  /** Names its objects: letters, digits and `-`. */
  readonly name: string;
  /** Folders of the machine that it works in; they are mounted at the same paths. */
  readonly folders: readonly string[];
  /** What it may do in the cluster. */
  readonly rules: readonly PolicyRule[];
  /** Whether it publishes ResourceSlices, which only those of its own node may be. */
  readonly publishesSlices: boolean;
}

/** A program that loads a module and handles the apps that the module passes to `run`, such as `keelson dev`. */
export interface RunHost {
  /** Takes over an app that was passed to `run`, which returns this promise. */
  run(app: App, options: RunOptions): Promise<void>;
  /** Takes over a plugin that would run until it is stopped; default the plugin runs. */
  serve?(plugin: NodePlugin): Promise<void>;
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
