import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import { connectionOfContext, type ContextOptions } from './context-connection.ts';
import { type Kubeconfig, KubeconfigError, mergeKubeconfigs } from './kubeconfig.ts';
import { kubeconfigPaths } from './kubeconfig-paths.ts';
import { readKubeconfig } from './read-kubeconfig.ts';

export interface LoadOptions {
  /** One file, which must exist; default the files of `$KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string;
  /** Default the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** See `loadKubeconfig` of the client. */
export async function loadKubeconfigFiles(options: LoadOptions = {}): Promise<Kubeconfig> {
  const { path, environment = process.env } = options;
  if (path !== undefined) {
    const config = await readIfPresent(path);
    if (config === undefined) throw new KubeconfigError(`Cannot read kubeconfig "${path}": there is no such file`);
    return config;
  }
  const found = await Promise.all(kubeconfigPaths(environment).map(readIfPresent));
  return mergeKubeconfigs(found.filter((config) => config !== undefined));
}

/** The connection of a context of the files; undefined when they have no contexts and none is asked for. */
export async function connectionOfFiles(options: LoadOptions & ContextOptions): Promise<ClusterConnection | undefined> {
  const config = await loadKubeconfigFiles(options);
  const isEmpty = config.currentContext === undefined && options.context === undefined && config.contexts.size === 0;
  return isEmpty ? undefined : connectionOfContext(config, options);
}

async function readIfPresent(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(`Cannot read kubeconfig "${path}": ${messageOf(cause)}`, { cause });
  }
  return readKubeconfig(text, resolve(path));
}
