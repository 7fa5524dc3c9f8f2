import { describe, expect, test } from 'vitest';
import { CryptoRandom, SeededRandom } from './random.ts';
import { randomUid, RandomUidSource } from './uid-source.ts';

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('a single uid is a version 4 UUID too', () => {
  const uids = Array.from({ length: 500 }, () => randomUid(new CryptoRandom()));

  expect(new Set(uids).size).toBe(uids.length);
  for (const uid of uids) expect(uid).toMatch(VERSION_4);
});

describe('RandomUidSource', () => {
  test('makes version 4 UUIDs, all different', () => {
    const source = new RandomUidSource(new CryptoRandom());
    const uids = Array.from({ length: 5000 }, () => source.next());

    expect(new Set(uids).size).toBe(uids.length);
    for (const uid of uids) expect(uid).toMatch(VERSION_4);
  });

  test('a uid keeps its text when more are made', () => {
    const source = new RandomUidSource(new CryptoRandom());
    const uid = source.next();
    const copy = Buffer.from(uid).toString();
    source.next();

    expect(uid).toBe(copy);
  });

  test('repeats itself with a seeded Random', () => {
    const first = new RandomUidSource(new SeededRandom(1));
    const second = new RandomUidSource(new SeededRandom(1));
    for (let index = 0; index < 100; index++) expect(first.next()).toBe(second.next());
  });
});
