import { expect, test } from 'vitest';
import type { FlowControl } from './flow-control.ts';
import type { PriorityLevel } from './levels/priority-level.ts';
import { levelOf, LimitedServer, schemaOf, userOf } from './testing/limited-server.ts';

function level(control: FlowControl, name: string): PriorityLevel {
  const found = control.levels.find((each) => each.name === name);
  if (found === undefined) throw new Error(`Cannot find level "${name}"`);
  return found;
}

test('levels get seats by their shares, and borrow what others lend while they need more', async () => {
  const server = new LimitedServer(100);
  const { control, clock } = server;
  control.configure(
    [
      levelOf('busy', { shares: 20, queues: 4, queueLengthLimit: 500, lendablePercent: 50 }),
      levelOf('idle', { shares: 75, queues: 4, lendablePercent: 80 }),
    ],
    [schemaOf('busy', 'busy', ['worker'])],
  );
  expect(level(control, 'busy').limits).toMatchObject({ nominal: 20, lower: 10, upper: 120 });
  expect(level(control, 'idle').limits).toMatchObject({ nominal: 75, lower: 15, upper: 175 });
  control.adjust();
  for (let sent = 0; sent < 200; sent++) server.send(userOf('worker'));
  const { running: before } = await server.counts();
  await clock.advance('10s');
  control.adjust();
  const { running: after } = await server.counts();
  expect(level(control, 'busy').limits.current).toBe(after);
  expect(after).toBeGreaterThan(75);
  expect(before).toBeLessThan(50);
  expect(level(control, 'idle').limits.current).toBeGreaterThanOrEqual(15);
  expect(level(control, 'catch-all').limits.current).toBeGreaterThanOrEqual(5);
});

test('a level that may not borrow stays at its nominal share', async () => {
  const server = new LimitedServer(100);
  const { control, clock } = server;
  control.configure(
    [
      levelOf('busy', { shares: 45, queues: 4, borrowingLimitPercent: 0 }),
      levelOf('idle', { shares: 50, lendablePercent: 100 }),
    ],
    [schemaOf('busy', 'busy', ['worker'])],
  );
  for (let sent = 0; sent < 90; sent++) server.send(userOf('worker'));
  await clock.advance('10s');
  control.adjust();
  expect(await server.counts()).toMatchObject({ running: 45, waiting: 45 });
});

test('a change takes effect at once, also for waiting requests', async () => {
  const server = new LimitedServer(10);
  const { control } = server;
  const narrow = { queues: 4, borrowingLimitPercent: 0 };
  const schemas = [schemaOf('all', 'narrow', ['worker'])];
  control.configure([levelOf('narrow', { ...narrow, shares: 5 }), levelOf('other', { shares: 90 })], schemas);
  for (let sent = 0; sent < 20; sent++) server.send(userOf('worker'));
  expect(await server.counts()).toEqual({ running: 1, waiting: 19, refused: 0 });
  control.configure([levelOf('narrow', { ...narrow, shares: 95 }), levelOf('other', { shares: 0 })], schemas);
  expect(await server.counts()).toEqual({ running: 10, waiting: 10, refused: 0 });
  control.configure([levelOf('narrow', { shares: 95, borrowingLimitPercent: 0 })], schemas);
  server.send(userOf('worker'));
  expect(await server.counts()).toEqual({ running: 10, waiting: 10, refused: 1 }); // it no longer queues new requests; those already queued still wait
  while (server.running.length > 0) await server.finish();
  expect(await server.counts()).toEqual({ running: 0, waiting: 0, refused: 1 });
});

test('a level that is deleted while requests wait serves them, and ends with the last one', async () => {
  const server = new LimitedServer(10);
  const { control } = server;
  control.configure(
    [levelOf('leaving', { shares: 5, queues: 4, borrowingLimitPercent: 0 })],
    [schemaOf('all', 'leaving', ['worker'])],
  );
  for (let sent = 0; sent < 8; sent++) server.send(userOf('worker'));
  expect(await server.counts()).toMatchObject({ running: 5, waiting: 3 });
  control.configure([], [schemaOf('all', 'leaving', ['worker'])]);
  expect(control.hasLevel('leaving')).toBe(false);
  expect(level(control, 'leaving').isQuiescing).toBe(true);
  expect(server.send(userOf('worker')).commonHeaders).toEqual({
    'x-kubernetes-pf-flowschema-uid': '', // the catch-all's, which is not stored here
    'x-kubernetes-pf-prioritylevel-uid': '',
  });
  while (server.running.length > 0) await server.finish();
  expect(await server.counts()).toEqual({ running: 0, waiting: 0, refused: 0 });
  expect(control.levels.map(({ name }) => name)).toEqual(['catch-all', 'exempt']);
});

test('the schema with the lowest matchingPrecedence is used, then the first by name', () => {
  const { control } = new LimitedServer(10);
  const levels = [levelOf('a', {}), levelOf('b', {}), levelOf('c', {})];
  const info = { isResource: false, verb: 'get', path: '/' } as Parameters<FlowControl['classify']>[0];
  const taken = (...schemas: readonly ReturnType<typeof schemaOf>[]): string => {
    control.configure(levels, schemas);
    return control.classify(info, userOf('worker')).recorder.schema;
  };
  expect(taken(schemaOf('x', 'a', ['worker'], 20), schemaOf('y', 'b', ['worker'], 10))).toBe('y');
  expect(taken(schemaOf('y', 'a', ['worker']), schemaOf('x', 'b', ['worker']))).toBe('x');
  expect(taken(schemaOf('x', 'nowhere', ['worker'], 5), schemaOf('y', 'b', ['worker']))).toBe('y');
  expect(taken(schemaOf('x', 'a', ['other']))).toBe('catch-all');
});

test('a thousand levels share the server, and each still serves', async () => {
  const server = new LimitedServer(600);
  const names = Array.from({ length: 1000 }, (_, index) => `level-${index}`);
  server.control.configure(
    names.map((name) => levelOf(name, { shares: 1, queues: 10_000_000, handSize: 2 })),
    names.map((name) => schemaOf(name, name, [name])),
  );
  for (const name of names) server.send(userOf(name));
  await server.clock.advance('10s');
  server.control.adjust();
  expect(await server.counts()).toEqual({ running: 1000, waiting: 0, refused: 0 });
  await server.finish();
  server.control.configure([], []);
  expect(server.control.levels).toHaveLength(2);
});
