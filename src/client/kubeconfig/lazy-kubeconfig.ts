import type { ClusterConnection } from '../cluster-connection.ts';
import type { ContextOptions } from './context-connection.ts';
import { type Kubeconfig, KubeconfigError } from './kubeconfig.ts';
import type * as Code from './kubeconfig-code.ts';

/**
 * Reads the text of a kubeconfig. `path` is where it came from: relative paths in it are relative to that file's folder.
 * Unknown members are ignored, as clients of other versions put theirs there.
 */
export async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  const { readKubeconfig } = await kubeconfigCode();
  return readKubeconfig(text, path);
}

/** What a context of a kubeconfig says about connecting; refuses what kubectl refuses, and names the entry. */
export async function contextConnection(config: Kubeconfig, options: ContextOptions): Promise<ClusterConnection> {
  const { connectionOfContext } = await kubeconfigCode();
  return connectionOfContext(config, options);
}

/** Published, this is the door `keelson/kubeconfig`, which bundles for pods leave out. */
function kubeconfigCode(): Promise<typeof Code> {
  return import('./kubeconfig-code.ts').catch((cause: unknown) => {
    throw new KubeconfigError(
      `Cannot read a kubeconfig: this bundle leaves "keelson/kubeconfig" out, and it is not installed beside it`,
      { cause },
    );
  });
}
