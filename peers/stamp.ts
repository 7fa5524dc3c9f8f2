import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Peer } from './catalog.ts';

/** Text that changes when the peer has to be built again: its version, its recipe, and sources of ours that go into it. */
export async function stampOf(peer: Peer, source: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([peer.version, peer.recipe, peer.variables ?? {}]));
  const { recipe } = peer;
  if ((recipe.type === 'build' || recipe.type === 'test') && recipe.package.startsWith('.')) {
    const folder = join(source, recipe.module, recipe.package);
    for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)));
  }
  return `${peer.name} ${peer.version} ${hash.digest('hex').slice(0, 16)}\n`;
}

export function stampPath(peer: Peer, folder: string): string {
  return join(folder, 'stamps', peer.name);
}

/** Whether the peer in `folder` was built by this recipe. One that was put there by hand has no stamp and is rebuilt. */
export async function isBuilt(peer: Peer, { folder, stamp }: { folder: string; stamp: string }): Promise<boolean> {
  const path = stampPath(peer, folder);
  return existsSync(join(folder, peer.name)) && existsSync(path) && (await readFile(path, 'utf8')) === stamp;
}
