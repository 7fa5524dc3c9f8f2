import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The etcd to test against: `KEELSON_ETCD`, else the first `etcd` on the PATH; `undefined` when there is none. */
export function findEtcd(): string | undefined {
  return findProgram('etcd', process.env['KEELSON_ETCD']);
}

/** The first program of that name on the PATH, unless it is said where it is. */
export function findProgram(name: string, given?: string): string | undefined {
  if (given !== undefined && given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not for us
  }
}
