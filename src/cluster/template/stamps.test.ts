import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { StoreContents } from '../../store/index.ts';
import { Stamps } from './stamps.ts';

const TAKEN_AT = Date.UTC(2001, 1, 3, 4, 5, 6);
const [OLD, OTHER, NEW] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
] as const;

function contentsOf(...objects: readonly object[]): StoreContents {
  const entries = objects.map((object, index) => ({
    key: `/registry/things/${index}`,
    value: Buffer.from(JSON.stringify(object)),
    createRevision: index + 1,
    modRevision: index + 1,
  }));
  return { revision: 9, entries, deadlinesMs: new Map([['/registry/things/0', TAKEN_AT + 1000]]) };
}

test('uids and times are replaced wherever they occur, and nothing else changes', () => {
  const objects = [
    {
      metadata: { name: 'é', uid: OLD, creationTimestamp: '2001-02-03T04:05:05Z' },
      since: '2001-02-03',
      machine: OTHER,
    },
    {
      metadata: { ownerReferences: [{ uid: OLD }] },
      renewTime: '2001-02-03T04:05:06.000000Z',
      born: '1999-02-03T04:05:06Z',
    },
  ];
  const contents = contentsOf(...objects);
  const atMs = Date.UTC(2030, 0, 1, 0, 0, 0, 250);
  const renewed = new Stamps(contents, TAKEN_AT).renewed({ uids: { next: () => NEW }, atMs });

  expect(renewed.entries.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as unknown)).toEqual([
    {
      metadata: { name: 'é', uid: NEW, creationTimestamp: '2029-12-31T23:59:59Z' },
      since: '2030-01-01',
      machine: OTHER,
    },
    {
      metadata: { ownerReferences: [{ uid: NEW }] },
      renewTime: '2030-01-01T00:00:00.250000Z',
      born: '1999-02-03T04:05:06Z',
    },
  ]);
  expect([...renewed.deadlinesMs]).toEqual([['/registry/things/0', atMs + 1000]]);
  expect(renewed.revision).toBe(9);
  expect(JSON.parse(Buffer.from(contents.entries[0]!.value).toString())).toEqual(objects[0]); // the template stays as it was
});
