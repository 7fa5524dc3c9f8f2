import type { ClusterConnection } from '../cluster-connection.ts';
import type { ContextOptions } from './context-connection.ts';
import type { Kubeconfig } from './kubeconfig.ts';

/**
 * Reads the text of a kubeconfig. `path` is where it came from: relative paths in it are relative to that file's folder.
 * Unknown members are ignored, as clients of other versions put theirs there.
 */
export async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  const { readKubeconfig } = await import('./kubeconfig-code.ts');
  return readKubeconfig(text, path);
}

/** What a context of a kubeconfig says about connecting; refuses what kubectl refuses, and names the entry. */
export async function contextConnection(config: Kubeconfig, options: ContextOptions): Promise<ClusterConnection> {
  const { connectionOfContext } = await import('./kubeconfig-code.ts');
  return connectionOfContext(config, options);
}
