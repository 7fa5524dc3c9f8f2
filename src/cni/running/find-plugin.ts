import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CniError } from '../cni-error.ts';

/** The program of a plugin: the first file of that name in the folders. */
export async function findPlugin(type: string, folders: readonly string[]): Promise<string> {
  if (type === '' || type.includes('/'))
    throw new CniError('InvalidConfiguration', `invalid plugin name ${JSON.stringify(type)}`);
  if (folders.length === 0)
    throw new CniError('InvalidEnvironment', `cannot look for plugin "${type}"`, {
      details: 'CNI_PATH names no folder',
    });
  for (const folder of folders) {
    const path = join(folder, type);
    const found = await stat(path).catch(() => undefined); // the next folder may have it
    if (found?.isFile() === true) return path;
  }
  throw new CniError('InvalidConfiguration', `failed to find plugin "${type}" in path [${folders.join(' ')}]`);
}
