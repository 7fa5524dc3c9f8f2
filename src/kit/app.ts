import type { App, AppOptions } from './app/app-options.ts';
import { RunnableApp, type RunnableOptions } from './app/runnable-app.ts';
import type { Part } from './part.ts';

/** An app of the given parts, to be run with a client: `await app('web', [pods]).run(await connect(), signal)`. */
export function app(name: string, parts: readonly Part[], options: AppOptions = {}): App {
  return new RunnableApp(name, parts, withServer(name, parts, options));
}

function withServer(name: string, parts: readonly Part[], options: AppOptions): RunnableOptions {
  const { server: serving, ...rest } = options;
  const asked = parts.find(({ handlers }) => handlers !== undefined);
  if (serving === undefined && asked !== undefined)
    throw new Error(`Cannot make app "${name}": part "${asked.name}" has webhook handlers, so the app needs a server`);
  if (serving === undefined) return rest;
  return { ...rest, server: serving.serverOf({ name, parts, resources: rest.resources ?? [] }) };
}
