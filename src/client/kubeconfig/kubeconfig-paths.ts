import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The files that kubectl reads, in order. */
export function kubeconfigPaths(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return named.length > 0 ? [...new Set(named)] : [join(homedir(), '.kube', 'config')];
}
