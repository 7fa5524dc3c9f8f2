import { aborted, keepAlive, RealClock } from '../../base/index.ts';
import { type App, hostRuns, type NodePlugin, type RunOptions } from '../../kit/index.ts';
import { UsageError } from '../command.ts';
import { type Exports, loadModule } from './load-module.ts';

const PATIENCE_MS = 30_000;

/** An app of the user's module, and the options that the module passed to `run`. */
export interface LoadedApp {
  readonly app: App;
  readonly options: RunOptions;
}

/**
 * The apps of a module: those that it passes to `run`, else those that it exports, else what its default export, or the
 * function named by `call`, returns. If a module awaits `run`, it waits as long as this program lives.
 */
export async function loadApps(file: string, call?: string): Promise<readonly LoadedApp[]> {
  return appsOf(file, await loadHosted(file, call), call);
}

function appsOf(
  file: string,
  { exported, given }: { readonly exported: Exports; readonly given: readonly LoadedApp[] },
  call?: string,
): readonly LoadedApp[] {
  if (call !== undefined) return [{ app: made(exported[call], `--call ${call}`), options: {} }];
  if (given.length > 0) return given;
  const apps = [...new Set(Object.values(exported))].filter(isApp);
  if (apps.length > 0) return apps.map((app) => ({ app, options: {} }));
  if (typeof exported['default'] === 'function')
    return [{ app: made(exported['default'], 'the default export'), options: {} }];
  throw new Error(`"${file}" runs and exports no app; --call names a function that makes one`);
}

/** The plugins of nodes that a module passes to `runPlugin`, and its apps. */
export async function loadPrograms(
  file: string,
  call?: string,
): Promise<{ readonly apps: readonly LoadedApp[]; readonly plugins: readonly NodePlugin[] }> {
  const loaded = await loadHosted(file, call);
  const { plugins } = loaded;
  return { plugins, apps: plugins.length > 0 ? [] : appsOf(file, loaded, call) };
}

/** The exports of a module, and the apps that it has passed to `run`; with `call`, the latter are ignored. */
export async function loadHosted(
  file: string,
  call?: string,
): Promise<{
  readonly exported: Exports;
  readonly given: readonly LoadedApp[];
  readonly plugins: readonly NodePlugin[];
}> {
  const given: LoadedApp[] = [];
  const plugins: NodePlugin[] = [];
  const begun = new AbortController();
  using _host = hostRuns({
    async run(app, options) {
      if (call !== undefined) return; // `call` names another app
      given.push({ app, options });
      begun.abort();
      await new Promise(() => undefined);
    },
    async serve(plugin) {
      plugins.push(plugin);
      begun.abort();
      await new Promise(() => undefined);
    },
  });
  const loaded = new AbortController();
  const until = Promise.race([handedOver(begun.signal), tooLong(file, loaded.signal)]);
  try {
    return { exported: await loadModule(file, { until }), given, plugins };
  } finally {
    loaded.abort();
  }
}

/** Waits for the apps of a module that awaits `run` and so never finishes; it may have several. */
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
    `"${file}" is still waiting for something after ${PATIENCE_MS / 1000} s, and has passed no app to run()`,
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
