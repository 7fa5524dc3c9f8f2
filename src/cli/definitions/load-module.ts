import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type Exports = Readonly<Record<string, unknown>>;

/** All of esbuild that is needed here. */
interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/**
 * What a module exports. TypeScript is read by Node.js itself where that can (from 22.18 on), and else by the esbuild of
 * the project that the module is part of.
 */
export async function loadModule(path: string): Promise<Exports> {
  const file = resolve(path);
  try {
    return (await import(pathToFileURL(file).href)) as Exports;
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new Error(`Cannot load "${path}"`, { cause });
  }
  const bundler = await bundlerOf(file);
  if (bundler === undefined)
    throw new Error(
      `Cannot load "${path}": Node.js reads TypeScript from version 22.18 on; use that, or install esbuild`,
    );
  return loadBundled(file, bundler);
}

async function bundlerOf(file: string): Promise<Bundler | undefined> {
  try {
    const found = createRequire(file).resolve('esbuild');
    const { default: bundler } = (await import(pathToFileURL(found).href)) as { readonly default: Bundler };
    return bundler;
  } catch {
    return undefined; // the project has none
  }
}

/** The bundle stands beside the module, where its packages are found, for as long as it takes to load it. */
async function loadBundled(file: string, bundler: Bundler): Promise<Exports> {
  const outfile = join(dirname(file), `.${basename(file)}.${process.pid}.mjs`);
  try {
    await bundler.build({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      tsconfigRaw: '{}', // paths of a tsconfig are not those of Node.js
      logLevel: 'silent',
    });
    return (await import(pathToFileURL(outfile).href)) as Exports;
  } catch (cause) {
    throw new Error(`Cannot load "${file}"`, { cause });
  } finally {
    await rm(outfile, { force: true });
  }
}
