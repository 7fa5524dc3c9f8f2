import type { ClusterConnection } from '../cluster-connection.ts';
import type { ContextOptions } from './context-connection.ts';
import { type Kubeconfig, KubeconfigError } from './kubeconfig.ts';
import type * as Code from './kubeconfig-code.ts';
import type { LoadOptions } from './load-kubeconfig.ts';

/**
 * Reads the text of a kubeconfig. `path` is the file it came from: relative paths in it are relative to that file's
 * folder. Unknown members, which other versions of clients may write, are ignored.
 */
export async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  const { readKubeconfig } = await kubeconfigCode();
  return readKubeconfig(text, path);
}

/** The connection of a kubeconfig's context. Rejects what kubectl rejects, and names the entry. */
export async function contextConnection(config: Kubeconfig, options: ContextOptions): Promise<ClusterConnection> {
  const { connectionOfContext } = await kubeconfigCode();
  return connectionOfContext(config, options);
}

/**
 * Loads the kubeconfig that kubectl would: the given file, or the files of `$KUBECONFIG` merged, or `~/.kube/config`.
 *
 * Ends: with a KubeconfigError when a file cannot be read; files of `$KUBECONFIG` that do not exist are skipped.
 */
export async function loadKubeconfig(options: LoadOptions = {}): Promise<Kubeconfig> {
  const { loadKubeconfigFiles } = await kubeconfigCode();
  return loadKubeconfigFiles(options);
}

/** In the published package this imports `keelson/kubeconfig`, which bundles for pods leave out. */
export function kubeconfigCode(): Promise<typeof Code> {
  return import('./kubeconfig-code.ts').catch((cause: unknown) => {
    throw new KubeconfigError(
      `Cannot read a kubeconfig: "keelson/kubeconfig" is neither in this bundle nor installed beside it`,
      { cause },
    );
  });
}
