import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** What a command printed, and how it ended. */
export interface Finished {
  readonly code: number;
  readonly output: string;
}

/** Where package.json publishes something. */
interface Door {
  readonly types: string;
  readonly default?: string;
}

/** TypeScript 7, which the repository has, and the TypeScript 5 that `@arethetypeswrong/core` has. */
export const compilers = {
  'TypeScript 7': join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  'TypeScript 5': join(
    dirname(createRequire(requirePath('@arethetypeswrong/cli', '@arethetypeswrong/core')).resolve('typescript')),
    'tsc.js',
  ),
};

function requirePath(...path: readonly string[]): string {
  return path.reduce((from, name) => createRequire(from).resolve(`${name}/package.json`), join(root, 'package.json'));
}

/** A user's project, with the packed package installed in it. */
export class InstalledPackage implements AsyncDisposable {
  readonly folder: string;
  readonly tarball: string;

  private constructor(folder: string, tarball: string) {
    this.folder = folder;
    this.tarball = tarball;
  }

  /** Installs the tarball that `npm test` has made; without one, makes it first. */
  static async make(): Promise<InstalledPackage> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'keelson-package-')));
    const given = process.env['KEELSON_TARBALL'] ?? '';
    const tarball = existsSync(given) ? given : await pack(folder);
    const installed = new InstalledPackage(folder, tarball);
    await installed.write('package.json', JSON.stringify({ name: 'operator', private: true, type: 'module' }));
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await succeed('npm', ['install', ...flags, tarball, ...(await packDependencies(folder))], folder);
    await installed.#link('@types/node');
    for (const name of ['vitest', 'zod', 'esbuild']) await installed.#link(name);
    return installed;
  }

  /** Lends a package of this repository to the project, as if it were installed there. */
  async #link(name: string): Promise<void> {
    const path = join(this.folder, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(root, 'node_modules', name), path);
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, file)), { recursive: true });
    await writeFile(join(this.folder, file), text);
  }

  run(command: string, ...args: readonly string[]): Promise<Finished> {
    return run(command, args, this.folder);
  }

  /** Every name that the package can be imported by, and whether there is code behind it or only types. */
  async doors(): Promise<readonly { readonly name: string; readonly hasCode: boolean }[]> {
    const home = join(this.folder, 'node_modules', 'keelson');
    const { exports } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, Door | string>>;
    };
    const doors = Object.entries(exports).map(async ([path, door]) => {
      if (typeof door === 'string') return []; // package.json itself
      const [before = '', after] = door.types.split('*');
      const name = `keelson${path.slice(1)}`;
      if (after === undefined) return [{ name, hasCode: door.default !== undefined }];
      const files = await readdir(join(home, before), { recursive: true });
      return files
        .filter((file) => file.endsWith(after))
        .map((file) => ({ name: name.replace('*', file.slice(0, -after.length)), hasCode: false }));
    });
    return (await Promise.all(doors)).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function pack(folder: string, source = root): Promise<string> {
  const before = new Set(await readdir(folder));
  const flags = source === root ? [] : ['--ignore-scripts'];
  await succeed('npm', ['pack', '--pack-destination', folder, ...flags, source], root);
  const name = (await readdir(folder)).find((file) => file.endsWith('.tgz') && !before.has(file));
  if (name === undefined) throw new Error(`Cannot find what npm packed from "${source}"`);
  return join(folder, name);
}

/** The run-time dependencies, packed from the copies that this repository has: their installation needs no registry. */
async function packDependencies(folder: string): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly dependencies?: object };
  const packed: string[] = [];
  for (const name of Object.keys(manifest.dependencies ?? {}))
    packed.push(await pack(folder, join(root, 'node_modules', name)));
  return packed;
}

async function succeed(command: string, args: readonly string[], folder: string): Promise<void> {
  const { code, output } = await run(command, args, folder);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
}

function run(command: string, args: readonly string[], folder: string): Promise<Finished> {
  const { NODE_OPTIONS: _, NODE_ENV: __, VITEST: ___, ...env } = process.env;
  const options = { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` }),
    );
  });
}
