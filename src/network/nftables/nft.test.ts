import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inNamespaces } from '../testing/network-lab.ts';
import { Nft, NftError } from './nft.ts';

test('a program that is missing is named, with what to do', async () => {
  await expect(new Nft({ program: 'no-such-nft' }).apply('')).rejects.toThrow(
    /^Cannot run "no-such-nft": .*; install nftables$/,
  );
});

describe('nft in a namespace', inNamespaces(), () => {
  const namespace = `nft-test-${process.pid}`;
  const nft = new Nft({ prefix: ['ip', 'netns', 'exec', namespace] });
  beforeAll(() => void execFileSync('ip', ['netns', 'add', namespace]));
  afterAll(() => void execFileSync('ip', ['netns', 'del', namespace]));

  test('a transaction is applied whole, or refused whole with the reason', async () => {
    await nft.apply(['add table ip t', 'add chain ip t c', 'add set ip t s { type ipv4_addr ; }']);
    expect(await nft.hasTable('ip', 't')).toBe(true);
    expect(await nft.hasTable('ip6', 't')).toBe(false);
    expect(await nft.names('chain', 'ip', 't')).toEqual(['c']);
    expect(await nft.names('set', 'ip', 't')).toEqual(['s']);
    expect(await nft.names('set', 'ip', 'other')).toEqual([]);

    const refused = await nft.apply(['add chain ip t d', 'delete chain ip t e']).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NftError);
    expect((refused as NftError).isMissing).toBe(true);
    expect(await nft.names('chain', 'ip', 't')).toEqual(['c']);

    const wrong = await nft.apply('add chian ip t d').catch((error: unknown) => error);
    expect((wrong as NftError).isMissing).toBe(false);
    expect((wrong as NftError).message).toContain('syntax error');
    expect(await nft.print('list chain ip t c', 'list set ip t s')).toContain('set s {');
  });

  test('a long transaction is written in pieces', async () => {
    const elements = Array.from({ length: 2000 }, (_, at) => `add element ip t s { 10.0.${at >> 8}.${at & 255} }`);
    await nft.apply(elements);
    expect(JSON.stringify(await nft.list('set', 'ip', 't', 's')).split('10.0.')).toHaveLength(2001);
  });
});
