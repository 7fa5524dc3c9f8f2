import { expect, test } from 'vitest';
import { levelOf, LimitedServer, MASTER, schemaOf, userOf } from './testing/limited-server.ts';

const NOISY = userOf('noisy');
const QUIET = userOf('quiet');

/** A level with two seats, shared by two clients. */
function sharedLevel(options: { readonly queues: number; readonly queueLengthLimit?: number }): LimitedServer {
  const server = new LimitedServer(4);
  server.control.configure(
    [levelOf('shared', { shares: 5, lendablePercent: 0, borrowingLimitPercent: 0, ...options })],
    [schemaOf('both', 'shared', ['noisy', 'quiet'])],
  );
  return server;
}

test('one noisy client cannot starve another: they take turns, however much the noisy one has sent before', async () => {
  const server = sharedLevel({ queues: 64, queueLengthLimit: 500 });
  for (let sent = 0; sent < 400; sent++) server.send(NOISY);
  for (let sent = 0; sent < 10; sent++) server.send(QUIET);
  expect(await server.counts()).toEqual({ running: 2, refused: 0, waiting: 408 });
  const order: string[] = [];
  while (order.filter((name) => name === 'quiet').length < 10) {
    await server.clock.advance(3);
    order.push(...(await server.finish()).map((call) => call.principal.user.name));
  }
  expect(order.length).toBeLessThanOrEqual(2 * 4 * 10); // four queues of the noisy client's hand against one of the other's
  expect(order.length).toBeGreaterThan(10);
});

test('requests in one queue are served in order of arrival', async () => {
  const server = sharedLevel({ queues: 1 });
  const sent = [NOISY, NOISY, QUIET, NOISY, QUIET].map((user) => server.send(user));
  const order = [];
  while (order.length < sent.length) {
    await server.settle();
    order.push(...(await server.finish(1)));
  }
  expect(order).toEqual(sent);
});

test('a request to a full queue is refused in kube-apiserver’s words', async () => {
  const server = sharedLevel({ queues: 1, queueLengthLimit: 3 });
  for (let sent = 0; sent < 10; sent++) server.send(NOISY);
  expect(await server.counts()).toEqual({ running: 2, refused: 5, waiting: 3 });
  const { call, answer } = server.refused[0] ?? {};
  expect(answer).toMatchObject({
    headers: { 'retry-after': '1', 'x-content-type-options': 'nosniff' },
    decoded: { contentType: 'text/plain; charset=utf-8', body: 'Too many requests, please try again later.\n' },
  });
  expect(call?.commonHeaders).toEqual({
    'x-kubernetes-pf-flowschema-uid': 'uid-of-schema-both',
    'x-kubernetes-pf-prioritylevel-uid': 'uid-of-level-shared',
  });
  expect(server.registry.expose()).toContain(
    'apiserver_flowcontrol_rejected_requests_total{flow_schema="both",priority_level="shared",reason="queue-full"} 5',
  );
});

test('a level without queues refuses requests beyond its seats', async () => {
  const server = sharedLevel({ queues: 0 });
  for (let sent = 0; sent < 5; sent++) server.send(NOISY);
  expect(await server.counts()).toEqual({ running: 2, refused: 3, waiting: 0 });
  expect(server.registry.expose()).toContain('reason="concurrency-limit"} 3');
});

test('system:masters is exempt, and a request that no schema matches is caught', async () => {
  const server = new LimitedServer(100);
  for (let sent = 0; sent < 120; sent++) server.send(MASTER);
  for (let sent = 0; sent < 120; sent++) server.send(userOf('other'));
  expect(await server.counts()).toEqual({ running: 220, refused: 20, waiting: 0 });
  expect(server.running[0]?.commonHeaders).toEqual({
    'x-kubernetes-pf-flowschema-uid': '',
    'x-kubernetes-pf-prioritylevel-uid': '',
  });
  server.send({ name: 'without groups', groups: [] });
  expect((await server.counts()).refused).toBe(21);
});

test('even a flood of exempt requests is bounded; the server’s own calls are not, for others wait for them', async () => {
  const server = new LimitedServer(8);
  for (let sent = 0; sent < 30; sent++) server.send(MASTER);
  expect(await server.counts()).toEqual({ running: 10, refused: 10, waiting: 10 });
  server.sendOwn();
  expect((await server.counts()).running).toBe(11);
  while (server.running.length > 0) await server.finish();
  expect(server.control.levels.every(({ queues }) => queues.isIdle && queues.seatsInUse === 0)).toBe(true);
});

test('no request waits longer than a quarter of its timeout', async () => {
  const server = sharedLevel({ queues: 1 });
  for (let sent = 0; sent < 3; sent++) server.send(NOISY);
  server.send(NOISY, 'GET', '/api/v1/pods?timeout=20s');
  await server.clock.advance('4999ms');
  expect(await server.counts()).toEqual({ running: 2, refused: 0, waiting: 2 });
  await server.clock.advance('1ms');
  expect(await server.counts()).toEqual({ running: 2, refused: 1, waiting: 1 });
  await server.clock.advance('10s');
  expect(await server.counts()).toEqual({ running: 2, refused: 2, waiting: 0 });
  expect(server.registry.expose()).toContain('reason="time-out"} 2');
});

test('a request whose client disconnects no longer waits, and the next one moves up', async () => {
  const server = sharedLevel({ queues: 1 });
  for (let sent = 0; sent < 2; sent++) server.send(NOISY);
  const leaving = server.send(NOISY);
  const next = server.send(QUIET);
  leaving.abort('gone');
  expect(await server.counts()).toEqual({ running: 2, refused: 1, waiting: 1 });
  await server.finish(1);
  expect(server.running.at(-1)).toBe(next);
});

test('a watch has seats until its initial events are sent; exec and the like have none', async () => {
  const server = sharedLevel({ queues: 0 });
  const watches = [1, 2].map(() => server.send(NOISY, 'GET', '/api/v1/pods?watch=1'));
  server.send(NOISY);
  expect(await server.counts()).toMatchObject({ running: 2, refused: 1 });
  watches[0]?.record.served();
  server.send(NOISY);
  expect(await server.counts()).toMatchObject({ running: 3, refused: 1 });
  const exec = server.send(NOISY, 'POST', '/api/v1/namespaces/a/pods/b/exec');
  expect(await server.counts()).toMatchObject({ running: 4, refused: 1 });
  expect(exec.commonHeaders).toBeUndefined();
});

test('wide lists take several seats, and no more than a part of their level', async () => {
  const server = new LimitedServer(200);
  const level = levelOf('wide', { shares: 95, queues: 8, handSize: 2, lendablePercent: 0, borrowingLimitPercent: 0 });
  server.control.configure([level], [schemaOf('both', 'wide', ['noisy'])]);
  server.sizes = { count: 1000, averageBytes: 700 };
  const wide = server.control.levels.find(({ name }) => name === 'wide');
  server.send(NOISY, 'GET', '/api/v1/pods');
  expect(wide?.queues.seatsInUse).toBe(7);
  server.send(NOISY, 'GET', '/api/v1/pods?limit=100');
  server.send(NOISY, 'GET', '/api/v1/pods?fieldSelector=metadata.name%3Db');
  expect(wide?.queues.seatsInUse).toBe(7 + 1 + 1);
  server.sizes = { count: 1_000_000, averageBytes: 700 };
  server.send(NOISY, 'GET', '/api/v1/pods');
  expect(wide?.queues.seatsInUse).toBe(9 + 10); // lists from memory need a megabyte at most
  server.send(NOISY, 'GET', '/api/v1/pods?resourceVersion=7&resourceVersionMatch=Exact');
  expect(wide?.queues.seatsInUse).toBe(19 + 29); // 15 % of 190 seats
});

test('a write keeps its seats while watchers are notified', async () => {
  const server = new LimitedServer(400);
  server.control.configure(
    [levelOf('writers', { shares: 95, queues: 8, handSize: 2, lendablePercent: 0 })],
    [schemaOf('both', 'writers', ['noisy'])],
  );
  const writers = server.control.levels.find(({ name }) => name === 'writers');
  for (let opened = 0; opened < 25; opened++) {
    server.send(MASTER, 'GET', '/api/v1/namespaces/a/configmaps?watch=1&resourceVersion=1').record.served();
    server.send(MASTER, 'GET', '/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1').record.served();
  }
  await server.settle();
  server.running.length = 0;
  server.send(NOISY, 'POST', '/api/v1/namespaces/b/configmaps');
  server.send(NOISY, 'POST', '/api/v1/namespaces/a/pods');
  await server.finish();
  expect(writers?.queues.seatsInUse).toBe(0);
  server.send(NOISY, 'POST', '/api/v1/namespaces/a/configmaps');
  await server.finish();
  expect(writers?.queues.seatsInUse).toBe(3);
  expect(writers?.queues.isIdle).toBe(true);
  await server.clock.advance(5);
  expect(writers?.queues.seatsInUse).toBe(0);
});
