import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder with the keys of a snapshot, for the lifetime of the cluster. */
export interface OpenKeys extends AsyncDisposable {
  readonly folder: string;
}

export async function openKeys(keys: Readonly<Record<string, string>>): Promise<OpenKeys> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-keys-'));
  for (const [name, text] of Object.entries(keys)) await writeFile(join(folder, name), text, { mode: 0o600 });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
