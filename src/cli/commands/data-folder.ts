import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where a cluster keeps its store, keys and kubeconfig unless told otherwise. */
export function defaultDataFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['KEELSON_DATA_DIR'] ?? join(homedir(), '.keelson');
}
