import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { Transport, TransportRequest } from '../../client/index.ts';
import { RunTracker } from '../../kit/index.ts';
import { Activity } from './activity.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The lines shown for an app whose server answers with this code after 12 ms. */
function shown(status = 200) {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1, 12) });
  const tracker = new RunTracker();
  const lines: string[] = [];
  const activity = new Activity({ clock, tracker, print: (line) => lines.push(line) });
  const server: Transport = {
    async send() {
      await clock.advance(12);
      return { status, headers: {}, body: { type: 'object', object: {} } };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const transport = activity.watch(server);
  const send = async (request: Partial<TransportRequest>): Promise<void> => {
    const { signal } = new AbortController();
    await transport.send({ method: 'GET', path: '/', headers: JSON_TYPE, signal, ...request });
  };
  return { activity, tracker, lines, send };
}

test('a write is shown with its response and its run', async () => {
  const { tracker, lines, send } = shown(201);
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const write = (): Promise<void> =>
    send({ method: 'PATCH', path: '/apis/apps/v1/namespaces/default/deployments/a?force=true', headers });
  const run = { id: 1, workers: {}, controller: 'websites', key: 'default/a', why: [], causes: [], timers: 0 };
  await tracker.during(run, write);
  await send({ method: 'POST', path: '/api/v1/namespaces/b/pods', body: '{"metadata": {"generateName": "x-"}}' });

  expect(lines).toEqual([
    '12:00:00.012  write      apply deployments default/a: 201 after 12.0 ms by websites default/a',
    '12:00:00.024  write      create pods b/x-: 201 after 12.0 ms',
  ]);
});

test('events are shown with their text; renewals of Leases and successful reads are not shown', async () => {
  const { lines, send } = shown();
  const event = {
    type: 'Warning',
    reason: 'Broken',
    message: 'it is',
    involvedObject: { kind: 'Website', namespace: 'default', name: 'a' },
  };
  await send({ method: 'POST', path: '/api/v1/namespaces/default/events', body: JSON.stringify(event) });
  await send({ method: 'PATCH', path: '/api/v1/namespaces/default/events/a.1', body: '{"count": 3}' });
  await send({ method: 'PUT', path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/a', body: '{}' });
  await send({ path: '/api/v1/pods' });

  expect(lines.map((line) => line.slice(14))).toEqual([
    'event      Warning Broken of Website default/a: "it is": 200 after 12.0 ms',
    'event      seen 3 times: 200 after 12.0 ms',
  ]);
});

test('a read that was refused is shown', async () => {
  const { lines, send } = shown(403);
  await send({ path: '/api/v1/namespaces/default/secrets/a' });

  expect(lines).toEqual(['12:00:00.012  read       read secrets default/a: 403 after 12.0 ms']);
});

test('the stack of an error is shown once, until the run has succeeded', () => {
  const { activity, lines } = shown();
  const run = { controller: 'websites', key: 'default/a', why: ['retry'], startedAt: 0, durationMs: 2.04, writes: 0 };
  const failed = { ...run, outcome: 'failed', error: Object.assign(new Error('no'), { stack: 'Error: no' }) } as const;
  activity.ran(failed);
  activity.ran(failed);
  activity.ran({ ...run, outcome: 'done', why: [], writes: 1 });
  activity.ran(failed);
  activity.ran({ ...run, outcome: 'stopped' });

  const line = '12:00:00.000  reconcile  websites default/a: failed after 2.0 ms because retry';
  const done = '12:00:00.000  reconcile  websites default/a: done after 2.0 ms, 1 write';
  expect(lines).toEqual([line, 'Error: no', line, done, line, 'Error: no']);
});
