import { describe, expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import type { KubernetesObject } from '../kind.ts';
import { DeltaFifo, type DeltaFifoOptions, type KeyDeltas } from './delta-fifo.ts';
import { Indexer } from './indexer.ts';
import { thing } from './testing/scripted-source.ts';

function fifoOver(options: Partial<DeltaFifoOptions<KubernetesObject>> = {}): {
  fifo: DeltaFifo<KubernetesObject>;
  known: Indexer<KubernetesObject>;
} {
  const known = new Indexer<KubernetesObject>();
  return { fifo: new DeltaFifo<KubernetesObject>({ known, ...options }), known };
}

function say(taken: KeyDeltas<KubernetesObject> | undefined): string {
  if (taken === undefined) return 'nothing';
  const deltas = taken.deltas.map((delta) => {
    const mark = delta.type === 'Deleted' && delta.isFinalStateUnknown ? '?' : '';
    return `${delta.type}${mark}@${delta.object.metadata.resourceVersion}`;
  });
  return `${taken.key}: ${deltas.join(' ')}`;
}

function drain(fifo: DeltaFifo<KubernetesObject>): string[] {
  const lines: string[] = [];
  for (let taken = fifo.pop(); taken !== undefined; taken = fifo.pop()) lines.push(say(taken));
  return lines;
}

test('an object is queued once, with all its changes, at the place of the first', () => {
  const { fifo } = fifoOver();
  fifo.add(thing('a', 1));
  fifo.add(thing('b', 2));
  fifo.update(thing('a', 3));
  expect(fifo.size).toBe(2);

  expect(drain(fifo)).toEqual(['here/a: Added@1 Updated@3', 'here/b: Added@2']);
  expect(fifo.pop()).toBeUndefined();
});

test('two deletions become one, and the known final state wins', () => {
  const { fifo, known } = fifoOver();
  known.set(thing('a', 1));
  fifo.replace([]);
  fifo.delete(thing('a', 5));

  expect(drain(fifo)).toEqual(['here/a: Deleted?@1']);
});

test('the deletion of an unknown object is dropped', () => {
  const { fifo } = fifoOver();
  fifo.delete(thing('a', 5));

  expect(drain(fifo)).toEqual([]);
});

describe('replacing the state', () => {
  test('reports existing objects and, with their last known state, deleted ones', () => {
    const { fifo, known } = fifoOver();
    known.set(thing('kept', 1));
    known.set(thing('gone', 2));
    fifo.add(thing('queued', 3));

    fifo.replace([thing('kept', 1), thing('new', 9)]);

    expect(drain(fifo)).toEqual([
      'here/queued: Added@3 Deleted?@3',
      'here/kept: Replaced@1',
      'here/new: Replaced@9',
      'here/gone: Deleted?@2',
    ]);
  });

  test('does not report a deletion that is queued already', () => {
    const { fifo, known } = fifoOver();
    known.set(thing('a', 1));
    fifo.delete(thing('a', 2));

    fifo.replace([]);

    expect(drain(fifo)).toEqual(['here/a: Deleted@2']);
  });

  test('has synced when the first list has been taken', () => {
    const { fifo } = fifoOver();
    expect(fifo.hasSynced).toBe(false);
    fifo.replace([thing('a', 1), thing('b', 1)]);
    fifo.add(thing('c', 2));

    fifo.pop();
    expect(fifo.hasSynced).toBe(false);
    fifo.pop();

    expect(fifo.hasSynced).toBe(true);
  });

  test('an empty first list has synced at once', () => {
    const { fifo } = fifoOver();
    fifo.replace([]);

    expect(fifo.hasSynced).toBe(true);
  });
});

test('a resync queues all known objects that are not queued already', () => {
  const { fifo, known } = fifoOver();
  known.set(thing('a', 1));
  known.set(thing('b', 1));
  fifo.update(thing('b', 2));

  fifo.resync();

  expect(drain(fifo)).toEqual(['here/b: Updated@2', 'here/a: Sync@1']);
});

test('an object that changes faster than it is taken keeps its first and its newest change', () => {
  const { fifo } = fifoOver({ maxDeltas: 3 });
  fifo.add(thing('a', 1));
  for (let version = 2; version <= 9; version++) fifo.update(thing('a', version));
  fifo.delete(thing('a', 10));

  expect(drain(fifo)).toEqual(['here/a: Added@1 Updated@2 Updated@9 Deleted@10']);
});

test('objects are transformed when they are added', () => {
  const { fifo } = fifoOver({
    transform: (object) => ({ ...object, metadata: { ...object.metadata, resourceVersion: '0' } }),
  });
  fifo.add(thing('a', 1));
  fifo.update(thing('a', 2));

  expect(drain(fifo)).toEqual(['here/a: Added@0 Updated@0']);
});

test('iterating waits for more, and ends when the queue is closed and empty', async () => {
  const { fifo } = fifoOver();
  const lines: string[] = [];
  const reading = (async () => {
    for await (const taken of fifo) lines.push(say(taken));
  })();
  fifo.add(thing('a', 1));
  await settle();
  fifo.add(thing('b', 2));
  await settle();
  expect(lines).toEqual(['here/a: Added@1', 'here/b: Added@2']);

  fifo.add(thing('c', 3));
  fifo.close();

  await reading;
  expect(lines.at(-1)).toBe('here/c: Added@3');
});

test('a hundred thousand objects come out as quickly as they went in', () => {
  const { fifo } = fifoOver();
  for (let index = 0; index < 100_000; index++) fifo.add(thing(`t-${index}`, index + 1));

  let last: KeyDeltas<KubernetesObject> | undefined;
  for (let taken = fifo.pop(); taken !== undefined; taken = fifo.pop()) last = taken;

  expect(last?.key).toBe('here/t-99999');
});
