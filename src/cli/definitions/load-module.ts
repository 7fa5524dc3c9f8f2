import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../command.ts';

export type Exports = Readonly<Record<string, unknown>>;

export interface LoadModuleOptions {
  /** Ends the wait for a module that never finishes loading. */
  readonly until?: Promise<Exports>;
}

/** The part of esbuild that is used here. */
interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Error codes of files that this version of Node.js cannot import. */
const UNREADABLE = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
]);

/**
 * Imports a module. Node.js reads TypeScript itself from 22.18 on; else the tsx or esbuild of the module's project
 * does.
 */
export async function loadModule(path: string, { until }: LoadModuleOptions = {}): Promise<Exports> {
  const file = resolve(path);
  if (!existsSync(file)) throw new UsageError(`there is no file "${path}"`);
  try {
    return await importFile(file, until);
  } catch (cause) {
    if (!UNREADABLE.has(String((cause as { readonly code?: unknown }).code))) throw cannotLoad(path, cause);
  }
  const hasLoader = (await packageOf(file, 'tsx')) !== undefined; // importing tsx registers its loader
  const bundler = hasLoader ? undefined : await packageOf<{ readonly default: Bundler }>(file, 'esbuild');
  if (!hasLoader && bundler === undefined)
    throw new Error(
      `Cannot load "${path}": Node.js reads TypeScript from version 22.18 on; use that, or npm install --save-dev tsx`,
    );
  try {
    return await (bundler === undefined
      ? importFile(`${file}?again`, until) // Node.js remembers that it could not load it
      : loadBundled(file, bundler.default, until));
  } catch (cause) {
    throw cannotLoad(path, cause);
  }
}

function cannotLoad(path: string, cause: unknown): Error {
  return new Error(`Cannot load "${path}"`, { cause });
}

function importFile(file: string, until: Promise<Exports> | undefined): Promise<Exports> {
  const [path = '', query] = file.split('?');
  const url = pathToFileURL(path);
  if (query !== undefined) url.search = query;
  const loading = import(url.href) as Promise<Exports>;
  return until === undefined ? loading : Promise.race([loading, until]);
}

/** A package of the file's project. */
export async function packageOf<Package extends object>(file: string, name: string): Promise<Package | undefined> {
  try {
    const found = createRequire(file).resolve(name);
    return (await import(pathToFileURL(found).href)) as Package;
  } catch {
    return undefined; // the project has none
  }
}

/** Writes the bundle beside the module, where Node.js finds its packages, and removes it after loading. */
async function loadBundled(file: string, bundler: Bundler, until: Promise<Exports> | undefined): Promise<Exports> {
  const outfile = join(dirname(file), `.${basename(file)}.${process.pid}.mjs`);
  try {
    await bundler.build({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      sourcemap: 'inline',
      tsconfigRaw: '{}', // paths of a tsconfig are not those of Node.js
      logLevel: 'silent',
    });
    return await importFile(outfile, until);
  } finally {
    await rm(outfile, { force: true });
  }
}
