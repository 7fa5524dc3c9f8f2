import { expect, test } from 'vitest';
import type { Entry } from '../../store.ts';
import { CopyCheck } from './copy-check.ts';

const NOW_MS = 1000;

interface Found {
  readonly value: string;
  readonly lease?: bigint;
}

/** A copy of 2,500 keys, every hundredth of which has lease 7. */
function copied(): Map<string, Found> {
  return new Map(
    Array.from({ length: 2500 }, (_item, index) => [
      `/registry/${String(index).padStart(4, '0')}`,
      { value: `value ${index}`, ...(index % 100 === 7 ? { lease: 7n } : {}) },
    ]),
  );
}

async function compare(found: Map<string, Found>): Promise<void> {
  const check = new CopyCheck();
  for (const [key, { value, lease }] of copied())
    check.expect(key, Buffer.from(value), lease === undefined ? undefined : { id: Number(lease), deadlineMs: 2000 });
  await check.compare(pages(found), NOW_MS);
}

async function* pages(found: Map<string, Found>): AsyncGenerator<{ entries: Entry[]; leases: Map<string, bigint> }> {
  for (const [key, { value, lease }] of found) {
    const entry = { key, value: Buffer.from(value), createRevision: 1, modRevision: 1 };
    yield { entries: [entry], leases: new Map(lease === undefined ? [] : [[key, lease]]) };
  }
}

test('an exact copy passes', async () => {
  await compare(copied());
});

const FAULTS: readonly (readonly [string, (found: Map<string, Found>) => void, RegExp])[] = [
  [
    'a changed value',
    (found) => found.set('/registry/1234', { value: 'other' }),
    /"\/registry\/10\d\d" to "\/registry\/20\d\d"/,
  ],
  ['a missing key', (found) => found.delete('/registry/1234'), /keys/],
  ['a missing last key', (found) => found.delete('/registry/2499'), /"\/registry\/2499"/],
  ['an additional key', (found) => found.set('/registry/9', { value: '' }), /keys/],
  ['a lost lease', (found) => found.set('/registry/0107', { value: 'value 107' }), /keys/],
  ['a lease too many', (found) => found.set('/registry/0001', { value: 'value 1', lease: 7n }), /"\/registry\/0001"/],
  ['another lease', (found) => found.set('/registry/0107', { value: 'value 107', lease: 8n }), /"\/registry\/0107"/],
  [
    'a changed value with a lease',
    (found) => found.set('/registry/0107', { value: '', lease: 7n }),
    /"\/registry\/0107"/,
  ],
  ['a missing key with a lease', (found) => found.delete('/registry/0107'), /"\/registry\/0107"/],
  ['nothing at all', (found) => found.clear(), /"\/registry\/0000"/],
];

test.each(FAULTS)('%s is detected', async (_name, plant, where) => {
  const found = copied();
  plant(found);
  await expect(compare(found)).rejects.toThrow(where);
});

test('a key whose lease has expired may be missing', async () => {
  const check = new CopyCheck();
  check.expect('/registry/a', Buffer.from('1'), { id: 7, deadlineMs: NOW_MS });
  await check.compare(pages(new Map()), NOW_MS);
});
