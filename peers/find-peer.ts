import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { peerNamed } from './catalog.ts';

/** Where a peer is, or why it cannot be used, in words to print. */
export type PeerSearch =
  | { readonly path: string; readonly reason?: undefined }
  | { readonly path: undefined; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that `npm run peers` fills: $KEELSON_PEERS, or `keelson/peers` in the user's cache. */
export function peersFolder(environment: Environment = process.env): string {
  const own = environment['KEELSON_PEERS'] ?? '';
  return own === '' ? cacheFolder(environment) : own;
}

/** A peer in $KEELSON_PEERS or the user's cache. Never builds anything: a suite skips what it needs when the reason is there. */
export function findPeer(name: string, environment: Environment = process.env): PeerSearch {
  const peer = peerNamed(name);
  if (peer === undefined) return { path: undefined, reason: `there is no peer named "${name}"` };
  const folders = [...new Set([peersFolder(environment), cacheFolder(environment)])];
  for (const folder of folders) {
    for (const file of [peer.name, ...(peer.aliases ?? [])]) {
      const path = join(folder, file);
      if (isExecutable(path)) return { path };
    }
  }
  return {
    path: undefined,
    reason: `${peer.name} ${peer.version} is not in ${folders.map((folder) => `"${folder}"`).join(' or ')}: run \`npm run peers -- ${peer.name}\``,
  };
}

/** The paths of several peers, or the reasons why some are missing. */
export function findPeers<Name extends string>(
  names: readonly Name[],
  environment: Environment = process.env,
): { readonly paths: Readonly<Record<Name, string>> } | { readonly paths: undefined; readonly reason: string } {
  const found: Partial<Record<Name, string>> = {};
  const reasons: string[] = [];
  for (const name of names) {
    const search = findPeer(name, environment);
    if (search.path === undefined) reasons.push(search.reason);
    else found[name] = search.path;
  }
  return reasons.length === 0
    ? { paths: found as Record<Name, string> }
    : { paths: undefined, reason: reasons.join('; ') };
}

function cacheFolder(environment: Environment): string {
  const cache = environment['XDG_CACHE_HOME'] ?? '';
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'keelson', 'peers');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: both mean that it has to be built
  }
}
