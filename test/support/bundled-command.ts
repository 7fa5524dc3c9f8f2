import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The command line in one file, in its own folder: for tests of whole processes. */
export class BundledCommand implements AsyncDisposable {
  readonly folder: string;
  readonly path: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, 'keelson.mjs');
  }

  static async make(): Promise<BundledCommand> {
    const command = new BundledCommand(await mkdtemp(join(tmpdir(), 'keelson-command-')));
    const esbuild = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
    const entry = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
    const options = ['--bundle', '--platform=node', '--format=esm', '--target=node20', '--log-level=error'];
    execFileSync(esbuild, [entry, ...options, '--define:KEELSON_VERSION="0"', `--outfile=${command.path}`]);
    return command;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
