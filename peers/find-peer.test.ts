import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPeer, findPeers, peersFolder } from './find-peer.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-peers-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function put(name: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '');
  await chmod(path, mode);
  return path;
}

describe('findPeer()', () => {
  test('finds a program in $KEELSON_PEERS, also under the name of a hand-made copy', async () => {
    const kubectl = await put('kubectl-1.36');

    expect(findPeer('kubectl', { KEELSON_PEERS: folder, XDG_CACHE_HOME: folder })).toEqual({ path: kubectl });
  });

  test("finds a program in the user's cache when $KEELSON_PEERS lacks it", async () => {
    await mkdir(join(folder, 'keelson', 'peers'), { recursive: true });
    const etcd = await put('keelson/peers/etcd');

    expect(findPeer('etcd', { KEELSON_PEERS: join(folder, 'empty'), XDG_CACHE_HOME: folder })).toEqual({ path: etcd });
  });

  test('says where it looked and how to get what is missing', async () => {
    await put('etcd', 0o644); // there, but nothing that runs

    const { reason } = findPeer('etcd', { KEELSON_PEERS: folder, XDG_CACHE_HOME: '/nowhere' });

    expect(reason).toBe(`etcd 3.7.3 is not in "${folder}" or "/nowhere/keelson/peers": run \`npm run peers -- etcd\``);
  });

  test('knows its names', () => {
    expect(findPeer('k3s', {}).reason).toBe('there is no peer named "k3s"');
  });
});

describe('findPeers()', () => {
  test('answers with all paths, or with every reason', async () => {
    const environment = { KEELSON_PEERS: folder, XDG_CACHE_HOME: '/nowhere' };
    const etcd = await put('etcd');

    expect(findPeers(['etcd'], environment)).toEqual({ paths: { etcd } });
    expect(findPeers(['etcd', 'helm', 'kwok'], environment)).toMatchObject({
      paths: undefined,
      reason: expect.stringMatching(/^helm .*; kwok /) as string,
    });
  });
});

describe('peersFolder()', () => {
  test("is $KEELSON_PEERS, or a folder of the user's cache", () => {
    expect(peersFolder({ KEELSON_PEERS: '/somewhere' })).toBe('/somewhere');
    expect(peersFolder({ XDG_CACHE_HOME: '/cache' })).toBe('/cache/keelson/peers');
  });
});
