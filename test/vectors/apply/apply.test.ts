import { expect, test } from 'vitest';
import { clean, replay } from './replay.ts';
import { TestServer } from './test-server.ts';
import { readVectors, type Sequence } from './vector.ts';

const sequences = readVectors<Sequence>(new URL('apply.jsonl.gz', import.meta.url));

test('random writes by several managers end as they do on a real kube-apiserver: same objects, owners, conflicts, codes', async () => {
  await using server = new TestServer();
  const differences: unknown[] = [];
  for (const sequence of sequences) {
    const outcome = await replay(sequence, server);
    if (outcome !== undefined) differences.push(outcome);
    await clean(sequence, server);
  }
  expect(differences.slice(0, 3)).toEqual([]);
  expect(sequences.length).toBeGreaterThanOrEqual(1200);
});

test('the recorded writes are of ten kinds and more, and of every way to write', () => {
  const steps = sequences.flatMap(({ steps: all }) => all);
  expect(new Set(sequences.map(({ resource }) => resource)).size).toBeGreaterThanOrEqual(10);
  expect(new Set(steps.map(({ request }) => request.verb))).toEqual(
    new Set(['create', 'update', 'apply', 'merge', 'json', 'strategic']),
  );
  expect(new Set(steps.map(({ request }) => request.subresource))).toEqual(new Set([undefined, 'status', 'scale']));
  expect(steps.filter(({ code }) => code === 409).length).toBeGreaterThan(300);
});
