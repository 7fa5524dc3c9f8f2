import { aborted, keepAlive, RealClock } from '../../base/index.ts';
import { type App, hostRuns, type RunOptions } from '../../kit/index.ts';
import { UsageError } from '../command.ts';
import { type Exports, loadModule } from './load-module.ts';

const PATIENCE_MS = 30_000;

/** An app of somebody's module, and how the module wants it to be run. */
export interface LoadedApp {
  readonly app: App;
  readonly options: RunOptions;
}

/**
 * The apps of a module: those that it gives to `run`; if there are none, those that it exports; and if there are none either,
 * what its default export makes, or the function that `call` names. A module that awaits `run` does so for as long as this
 * program lives.
 */
export async function loadApps(file: string, call?: string): Promise<readonly LoadedApp[]> {
  const { exported, given } = await loadHosted(file, call);
  if (call !== undefined) return [{ app: made(exported[call], `--call ${call}`), options: {} }];
  if (given.length > 0) return given;
  const apps = [...new Set(Object.values(exported))].filter(isApp);
  if (apps.length > 0) return apps.map((app) => ({ app, options: {} }));
  if (typeof exported['default'] === 'function')
    return [{ app: made(exported['default'], 'the default export'), options: {} }];
  throw new Error(`"${file}" runs and exports no app; --call names a function that makes one`);
}

/** What a module exports, and the apps that it has given to `run`; with `call`, these are let pass. */
export async function loadHosted(
  file: string,
  call?: string,
): Promise<{ readonly exported: Exports; readonly given: readonly LoadedApp[] }> {
  const given: LoadedApp[] = [];
  const begun = new AbortController();
  using _host = hostRuns({
    async run(app, options) {
      if (call !== undefined) return; // another one is wanted
      given.push({ app, options });
      begun.abort();
      await new Promise(() => undefined);
    },
  });
  const loaded = new AbortController();
  const until = Promise.race([handedOver(begun.signal), tooLong(file, loaded.signal)]);
  try {
    return { exported: await loadModule(file, { until }), given };
  } finally {
    loaded.abort();
  }
}

/** A module that awaits `run` never ends; it may have more than one app. */
async function handedOver(begun: AbortSignal): Promise<Exports> {
  await aborted(begun);
  await new RealClock().sleep(0);
  return {};
}

async function tooLong(file: string, loaded: AbortSignal): Promise<Exports> {
  using _alive = keepAlive();
  await new RealClock().sleep(PATIENCE_MS, loaded);
  if (loaded.aborted) return {};
  throw new Error(
    `"${file}" is still waiting for something after ${PATIENCE_MS / 1000} s, and has given no app to run()`,
  );
}

function made(make: unknown, name: string): App {
  if (typeof make !== 'function') throw new UsageError(`${name}: the module exports no such function`);
  const value: unknown = Reflect.apply(make, undefined, []);
  if (!isApp(value)) throw new UsageError(`${name}: it makes no app`);
  return value;
}

function isApp(value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'needs' in value && 'caches' in value && 'run' in value;
}
