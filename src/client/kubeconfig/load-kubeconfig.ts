import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { messageOf } from '../../base/index.ts';
import { type Kubeconfig, KubeconfigError } from './kubeconfig.ts';
import { parseKubeconfig } from './lazy-kubeconfig.ts';

export interface LoadOptions {
  /** One file, which must exist; default the files of `$KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string;
  /** Default the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads the kubeconfig that kubectl would: the given file, or the files of `$KUBECONFIG` merged, or `~/.kube/config`.
 *
 * Ends: with a KubeconfigError when a file cannot be read; files of `$KUBECONFIG` that do not exist are skipped.
 */
export async function loadKubeconfig(options: LoadOptions = {}): Promise<Kubeconfig> {
  const { path, environment = process.env } = options;
  if (path !== undefined) {
    const config = await readKubeconfig(path);
    if (config === undefined) throw new KubeconfigError(`Cannot read kubeconfig "${path}": there is no such file`);
    return config;
  }
  const found = await Promise.all(kubeconfigPaths(environment).map(readKubeconfig));
  return mergeKubeconfigs(found.filter((config) => config !== undefined));
}

/** The files that kubectl reads, in order. */
export function kubeconfigPaths(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return named.length > 0 ? [...new Set(named)] : [join(homedir(), '.kube', 'config')];
}

/**
 * Merges kubeconfigs: of entries with the same name the first one counts, as a whole; the first current context counts.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: mergeEntries(configs.map((config) => config.clusters)),
    users: mergeEntries(configs.map((config) => config.users)),
    contexts: mergeEntries(configs.map((config) => config.contexts)),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
  };
}

function mergeEntries<T>(all: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  return new Map(all.toReversed().flatMap((entries) => [...entries]));
}

async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(`Cannot read kubeconfig "${path}": ${messageOf(cause)}`, { cause });
  }
  return parseKubeconfig(text, resolve(path));
}
