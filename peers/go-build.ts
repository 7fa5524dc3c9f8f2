import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { GoRecipe, Peer } from './catalog.ts';
import { compilerEnvironment, unpackDebian } from './debian.ts';

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

/** A peer that Go compiles. */
export type GoPeer = Peer & { readonly recipe: GoRecipe };

export function isGoPeer(peer: Peer): peer is GoPeer {
  return peer.recipe.type === 'build' || peer.recipe.type === 'test' || peer.recipe.type === 'install';
}

/** Compiles one peer into the scratch folder. */
export async function goBuild(peer: GoPeer, scratch: string, options: GoBuildOptions): Promise<void> {
  const { recipe } = peer;
  await runGo(goArguments(peer, scratch, options.jobs), {
    cwd: recipe.type === 'install' ? scratch : join(options.source, recipe.module),
    environment: {
      GOBIN: scratch,
      GOFLAGS: '-buildvcs=false',
      ...(recipe.cgo === undefined ? {} : { CGO_ENABLED: recipe.cgo ? '1' : '0' }),
      ...(recipe.headers === undefined ? {} : await headersOf(recipe.headers, options.folder)),
    },
    progress: options.progress,
  });
}

async function headersOf(name: string, folder: string): Promise<NodeJS.ProcessEnv> {
  const root = join(folder, 'debian', name);
  await unpackDebian([name], root);
  return compilerEnvironment(root);
}

/** The command line of Go that makes a peer. */
export function goArguments(peer: GoPeer, scratch: string, jobs: number): string[] {
  const { recipe } = peer;
  const variables = Object.entries(peer.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const linked = [...variables, ...(recipe.isStripped === true ? ['-s', '-w'] : [])];
  return [
    ...(recipe.type === 'test' ? ['test', '-c'] : [recipe.type]),
    '-v',
    '-p',
    String(jobs),
    ...(linked.length === 0 ? [] : ['-ldflags', linked.join(' ')]),
    ...(recipe.tags === undefined ? [] : ['-tags', recipe.tags.join(',')]),
    ...(recipe.type === 'install' ? [] : ['-o', join(scratch, basename(peer.name))]),
    recipe.type === 'install' ? `${recipe.package}@${peer.version}` : recipe.package,
  ];
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
