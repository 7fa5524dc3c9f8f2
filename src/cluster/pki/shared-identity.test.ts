import { expect, test } from 'vitest';
import { CryptoRandom, SeededRandom, VirtualClock } from '../../base/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import { ClusterKeys } from './cluster-pki.ts';
import { type PkiFiles, pkiMemory } from './pki-files.ts';
import { openFiles, parseJoinToken, sealFiles } from './sealed-files.ts';
import { SHARED_FILES, shareIdentity } from './shared-identity.ts';

const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) });
const random = new CryptoRandom();
const token = parseJoinToken('abcdef.0123456789abcdef');
const otherToken = parseJoinToken('abcdef.0123456789abcdee');
const newToken = parseJoinToken('zzzzzz.0123456789abcdef');

function make(files: PkiFiles): Promise<unknown> {
  return new ClusterKeys({ clock, random: new SeededRandom(1), servingNames: [], folder: undefined, files }).read();
}

async function textsOf(files: PkiFiles): Promise<(string | undefined)[]> {
  return Promise.all(SHARED_FILES.map((name) => files.read(name)));
}

test('servers that start at the same time with one token have the same keys', async () => {
  await using store = openMemoryStore({ clock });
  const servers = [pkiMemory(), pkiMemory(), pkiMemory()];

  await Promise.all(servers.map((files) => shareIdentity(store, { files, token, random, make })));

  const [first, ...others] = await Promise.all(servers.map(textsOf));
  expect(first?.every((text) => text !== undefined && text !== '')).toBe(true);
  for (const texts of others) expect(texts).toEqual(first);
});

test('keys that are there are handed over, and cannot be read from the store without the token', async () => {
  await using store = openMemoryStore({ clock });
  const [first, second] = [pkiMemory(), pkiMemory()];
  await make(first);
  await shareIdentity(store, { files: first, token, random, make });
  await shareIdentity(store, { files: second, token, random, make });

  expect(await textsOf(second)).toEqual(await textsOf(first));
  const stored = store.contents().entries.map(({ value }) => Buffer.from(value).toString('latin1'));
  expect(stored).toHaveLength(1);
  expect(stored.join('')).not.toMatch(/PRIVATE KEY|CERTIFICATE/);
});

test('a server without the token, with another one or with other keys does not start', async () => {
  await using store = openMemoryStore({ clock });
  await shareIdentity(store, { files: pkiMemory(), token, random, make });
  const foreign = pkiMemory();
  await make(foreign);

  await expect(shareIdentity(store, { files: pkiMemory(), token: undefined, random, make })).rejects.toThrow(
    /join token/,
  );
  await expect(shareIdentity(store, { files: pkiMemory(), token: otherToken, random, make })).rejects.toThrow(
    'the join token does not open their keys, which were handed over with the token "abcdef.…"',
  );
  await expect(shareIdentity(store, { files: foreign, token, random, make })).rejects.toThrow(
    /not the authority of the other/,
  );
});

test('a server that has the keys needs no token, and hands them over under another one when it is given that', async () => {
  await using store = openMemoryStore({ clock });
  const [first, second] = [pkiMemory(), pkiMemory()];
  await shareIdentity(store, { files: first, token, random, make });
  await shareIdentity(store, { files: first, token: undefined, random, make });
  await shareIdentity(store, { files: first, token: newToken, random, make });

  await expect(shareIdentity(store, { files: second, token, random, make })).rejects.toThrow(/does not open/);
  await shareIdentity(store, { files: second, token: newToken, random, make });
  expect(await textsOf(second)).toEqual(await textsOf(first));
});

test('servers on a store without handed-over keys have keys of their own', async () => {
  await using store = openMemoryStore({ clock });
  await shareIdentity(store, { files: pkiMemory(), token: undefined, random, make });
  expect(store.contents().entries).toEqual([]);
});

test('what was sealed and changed since is not opened', () => {
  if (token === undefined) throw new Error('Unreachable: the token is well formed');
  const sealed = sealFiles({ a: 'b' }, token, random);
  const bytes = Buffer.from(sealed.data, 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;

  expect(openFiles(sealed, token)).toEqual({ a: 'b' });
  expect(openFiles({ ...sealed, data: bytes.toString('base64') }, token)).toBeUndefined();
  expect(openFiles({ ...sealed, data: '' }, token)).toBeUndefined();
  expect(['', 'abcdef', 'ABCDEF.0123456789abcdef', 'abcdef.0123'].map(parseJoinToken)).toEqual(
    Array(4).fill(undefined),
  );
});
