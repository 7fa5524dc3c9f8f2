import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Peer, Recipe } from './catalog.ts';

export interface GoBuildOptions {
  /** Where our Go modules are. */
  readonly source: string;
  readonly folder: string;
  /** Compilers at a time. */
  readonly jobs: number;
  /** Called for every package that Go had to compile or fetch. */
  readonly progress: (line: string) => void;
}

const KEPT_LINES = 30;

/** Builds one peer into the folder; nothing is there under its name until it is whole. */
export async function goBuild(peer: Peer, options: GoBuildOptions): Promise<void> {
  const scratch = join(options.folder, `.building-${peer.name}`);
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    await runGo(goArguments(peer, scratch, options.jobs), {
      cwd: peer.recipe.type === 'install' ? scratch : join(options.source, peer.recipe.module),
      environment: { GOBIN: scratch, GOFLAGS: '-buildvcs=false' },
      progress: options.progress,
    });
    const [file] = await readdir(scratch);
    if (file === undefined) throw new Error(`go made nothing for ${peer.name}`);
    await rename(join(scratch, file), join(options.folder, peer.name));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The command line of Go that makes a peer. */
export function goArguments(peer: Peer, scratch: string, jobs: number): string[] {
  const variables = Object.entries(peer.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const flags = ['-v', '-p', String(jobs), ...(variables.length === 0 ? [] : ['-ldflags', variables.join(' ')])];
  return [
    ...verbOf(peer.recipe),
    ...flags,
    ...(peer.recipe.type === 'install' ? [] : ['-o', join(scratch, peer.name)]),
    target(peer),
  ];
}

function verbOf({ type }: Recipe): string[] {
  return type === 'test' ? ['test', '-c'] : [type];
}

function target({ recipe, version }: Peer): string {
  return recipe.type === 'install' ? `${recipe.package}@${version}` : recipe.package;
}

interface RunOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: (line: string) => void;
}

async function runGo(args: readonly string[], { cwd, environment, progress }: RunOptions): Promise<void> {
  const child = spawn('go', args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const failed = once(child, 'error').then(([error]: unknown[]) => error);
  const ended = once(child, 'close');
  const last: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    progress(line);
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
  }
  const [code] = (await Promise.race([ended, failed.then((error) => Promise.reject(error))])) as [number | null];
  if (code !== 0) throw new Error(`go ${args.join(' ')} ended with ${code}:\n${last.join('\n')}`);
}
