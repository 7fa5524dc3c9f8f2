import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { IpRange } from '../running/attachment.ts';
import { type AddressOwner, type AddressPool, addressPool } from './address-pool.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-pool-'));
});
afterEach(() => rm(folder, { recursive: true }));

const pool = (...ranges: (IpRange | readonly IpRange[])[]): AddressPool =>
  addressPool({ folder: join(folder, 'pods'), ranges: ranges.map((each) => [each].flat() as IpRange[]) });
const owner = (containerId: string): AddressOwner => ({ containerId, ifName: 'eth0' });
const first = async (from: AddressPool, id: string, wanted: readonly string[] = []): Promise<string | undefined> =>
  (await from.allocate(owner(id), { wanted }))[0]?.address;

test('addresses are given in turn, and those given back only after the others', async () => {
  const small = pool({ subnet: '10.1.0.0/29' });
  expect(await small.allocate(owner('a'))).toEqual([{ address: '10.1.0.2/29', gateway: '10.1.0.1' }]);
  expect(await first(small, 'b')).toBe('10.1.0.3/29');
  await small.release(owner('a'));
  await small.release(owner('a'));
  expect(await first(small, 'c')).toBe('10.1.0.4/29');
  expect(await first(small, 'd')).toBe('10.1.0.5/29');
  await small.requireFree();
  expect(await first(small, 'e')).toBe('10.1.0.6/29');
  expect(await first(small, 'f')).toBe('10.1.0.2/29');
  await expect(small.allocate(owner('g'))).rejects.toMatchObject({ code: 11, details: 'all are allocated' });
  await expect(small.requireFree()).rejects.toMatchObject({ code: 50, details: 'all 5 are allocated' });
});

test('many at the same time get different addresses, all of them kept', async () => {
  const ids = Array.from({ length: 100 }, (_, at) => `c${at}`);
  const given = await Promise.all(ids.map((id) => first(pool({ subnet: '10.1.0.0/24' }), id)));
  expect(new Set(given).size).toBe(100);
  const names = (await readdir(join(folder, 'pods'))).filter((name) => name.startsWith('10.'));
  expect(names.length).toBe(100);
  expect(await readFile(join(folder, 'pods', given[7]?.replace('/24', '') ?? ''), 'utf8')).toBe('c7\neth0');
});

test('an owner has its addresses once', async () => {
  const one = pool({ subnet: '10.1.0.0/24' });
  await one.allocate(owner('a'));
  await expect(one.allocate(owner('a'))).rejects.toThrow('10.1.0.2 has been allocated to a already');
  expect(await one.addresses(owner('a'))).toEqual(['10.1.0.2']);
  expect(await one.addresses({ containerId: 'a', ifName: 'eth1' })).toEqual([]);
});

test('each list of ranges gives one address, or nothing is given', async () => {
  const dual = pool({ subnet: '10.1.0.0/24' }, { subnet: 'fd00::/64', rangeStart: 'fd00::10', rangeEnd: 'fd00::10' });
  expect((await dual.allocate(owner('a'))).map(({ address }) => address)).toEqual(['10.1.0.2/24', 'fd00::10/64']);
  await expect(dual.allocate(owner('b'))).rejects.toMatchObject({ code: 11 });
  expect(await dual.addresses(owner('b'))).toEqual([]);
});

test('ranges of one list follow each other', async () => {
  const two = pool([
    { subnet: '10.1.0.0/24', rangeStart: '10.1.0.5', rangeEnd: '10.1.0.6' },
    { subnet: '10.2.0.0/24', rangeStart: '10.2.0.1', rangeEnd: '10.2.0.2', gateway: '10.2.0.9' },
  ]);
  const given: (string | undefined)[] = [];
  for (const id of 'abcd') given.push(await first(two, id));
  expect(given).toEqual(['10.1.0.5/24', '10.1.0.6/24', '10.2.0.1/24', '10.2.0.2/24']);
  await two.release(owner('b'));
  expect(await first(two, 'e')).toBe('10.1.0.6/24');
});

test('an address that is asked for is given or refused', async () => {
  const one = pool({ subnet: '10.1.0.0/24' });
  expect(await first(one, 'a', ['10.1.0.77/24'])).toBe('10.1.0.77/24');
  await expect(first(one, 'b', ['10.1.0.77'])).rejects.toThrow('10.1.0.77 is allocated');
  await expect(first(one, 'b', ['10.1.0.1'])).rejects.toThrow('10.1.0.1 is in no range');
  await expect(first(one, 'b', ['red'])).rejects.toMatchObject({ code: 7 });
  expect(await one.addresses(owner('b'))).toEqual([]);
});

test('what does not exist any more is collected, and what a killed plugin has left', async () => {
  const one = pool({ subnet: '10.1.0.0/24' });
  for (const id of 'abc') await one.allocate(owner(id));
  await writeFile(join(folder, 'pods', '10.1.0.99'), '');
  await writeFile(join(folder, 'pods', '.123-x-eth0-10.1.0.98'), 'x\neth0');
  await one.collect([{ containerID: 'b', ifname: 'eth0' }]);
  expect((await readdir(join(folder, 'pods'))).sort()).toEqual(['10.1.0.3', 'last-0']);
});

test.each([
  [{ subnet: '10.1.0.0' }, 'is no network'],
  [{ subnet: '10.1.0.0/31' }, 'is too small to allocate from'],
  [{ subnet: '10.1.0.0/24', rangeStart: '10.2.0.1' }, 'rangeStart "10.2.0.1" is not in subnet'],
  [{ subnet: '10.1.0.0/24', rangeEnd: 'fd00::1' }, 'is no address of its family'],
  [{ subnet: '10.1.0.0/24', rangeStart: '10.1.0.9', rangeEnd: '10.1.0.8' }, 'is after rangeEnd'],
])('the range %j is refused', (range, message) => {
  expect(() => pool(range)).toThrow(message);
});
