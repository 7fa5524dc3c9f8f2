import { describe, expect, onTestFinished, test } from 'vitest';
import { LineLogger, formatWithStack, VirtualClock } from '../../base/index.ts';
import { type Client, ConfigMap, PodDisruptionBudget, Secret } from '../../client/index.ts';
import { controller } from '../index.ts';
import { runApp, type RunningApp } from '../testing/running-app.ts';

const budget = { metadata: { name: 'b' }, spec: { minAvailable: 1 } };
const counts = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
const budgets = (client: Client) => client.policy.v1.poddisruptionbudgets.namespace('default');

function logTo(lines: string[]): LineLogger {
  return new LineLogger({ clock: new VirtualClock(), format: formatWithStack, write: (line) => lines.push(line) });
}

async function createMap({ client }: RunningApp): Promise<void> {
  await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm', labels: { mine: '' } } });
}

describe('a run', () => {
  test('that does not await a failing call is reported with its controller and object, and retried', async () => {
    const lines: string[] = [];
    const part = controller(ConfigMap, {
      name: 'forgetful',
      where: { labelSelector: 'mine' },
      owns: [Secret],
      reconcile(_, { desire, objects }) {
        void desire(Secret, { metadata: { name: 'Not A Name' } });
        void objects(ConfigMap).fetch('default/none');
      },
    });
    await using running = await runApp([part], undefined, { log: logTo(lines) });
    await createMap(running);
    await running.settle();
    const [failed] = running.app.trace({ controller: 'forgetful' });
    expect(failed).toMatchObject({ key: 'default/m', outcome: 'failed', writes: 1 });
    expect(String(failed?.error)).toContain(
      'Cannot end the run: what was begun without "await" has failed: desire of Secret: Secret "Not A Name" is invalid',
    );
    expect(lines.join('')).toMatch(/"work failed, will be tried again" .*controller="forgetful" object="default\/m"/);
    await running.clock.advance('1s');
    expect(running.app.trace({ controller: 'forgetful' }).length).toBeGreaterThan(3);
  });

  test('that does not await a succeeding call ends when the call has ended', async () => {
    const part = controller(ConfigMap, {
      name: 'forgetful',
      where: { labelSelector: 'mine' },
      owns: [Secret],
      reconcile: (_, { desire }) => void desire(Secret, { metadata: { name: 's' } }),
    });
    await using running = await runApp([part]);
    await createMap(running);
    await running.settle();
    expect(running.app.trace()).toMatchObject([{ outcome: 'done', writes: 1 }]);
  });

  test('that throws can report its status, and its stack is printed', async () => {
    const lines: string[] = [];
    const part = controller(PodDisruptionBudget, {
      name: 'failing',
      reconcile(_, { conditions, report }) {
        report({
          conditions: conditions({ type: 'Ready', status: false, reason: 'Broken', message: 'no disk' }),
        });
        throw new Error('no disk');
      },
    });
    await using running = await runApp([part], undefined, { log: logTo(lines) });
    await budgets(running.client).create(budget);
    await running.settle();
    const reported = {
      type: 'Ready',
      status: 'False',
      reason: 'Broken',
      message: 'no disk',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    };
    expect((await budgets(running.client).get('b')).status?.conditions).toMatchObject([reported]);
    expect(running.app.trace()[0]).toMatchObject({ outcome: 'failed', writes: 1 });
    expect(lines.join('')).toMatch(/"no disk"\n +at .*failing-runs\.test\.ts/);
  });

  test('whose write is refused names the line of its reconciler, however deep the client is', async () => {
    const lines: string[] = [];
    const part = controller(ConfigMap, {
      name: 'refused',
      where: { labelSelector: 'mine' },
      owns: [Secret],
      async reconcile(_, { desire, objects }) {
        await objects(ConfigMap).fetch('default/none');
        await desire(Secret, { metadata: { name: 'Not A Name' } });
      },
    });
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 10; // as Node.js has it; the test runner has more
    onTestFinished(() => void (Error.stackTraceLimit = limit));
    await using running = await runApp([part], undefined, { log: logTo(lines) });
    await createMap(running);
    await running.settle();
    expect(lines.join('')).toMatch(/ is invalid.*\n(?: +at .*\n)* +at .*reconcile.*failing-runs\.test\.ts/);
  });

  test('keeps the time at which a condition last changed, and sets its observed generation', async () => {
    let isReady = false;
    const part = controller(PodDisruptionBudget, {
      name: 'conditions',
      reconcile(_, { conditions, after }) {
        after('1m');
        return {
          ...counts,
          conditions: conditions({ type: 'Available', status: isReady, message: `ready: ${isReady}` }),
        };
      },
    });
    await using running = await runApp([part]);
    await budgets(running.client).create(budget);
    await running.settle();
    const times: unknown[] = [];
    for (const ready of [false, true, true]) {
      isReady = ready;
      await running.clock.advance('1m');
      times.push((await budgets(running.client).get('b')).status?.conditions?.[0]?.lastTransitionTime);
    }
    expect(times).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:02:00Z', '2026-01-01T00:02:00Z']);
  });

  test('that writes with the client has its writes counted', async () => {
    const part = controller(ConfigMap, {
      name: 'direct',
      where: { labelSelector: 'mine' },
      async reconcile({ metadata: { name, namespace = '' } }, { client }) {
        const secrets = client.kind(Secret).namespace(namespace);
        await secrets.apply({ metadata: { name } }, { fieldManager: 'direct' });
        await secrets.get(name);
      },
    });
    await using running = await runApp([part]);
    await createMap(running);
    await running.settle();
    expect(running.app.trace({ controller: 'direct' })).toMatchObject([{ outcome: 'done', writes: 1 }]);
  });

  test('that conflicts again and again is reported after ten times', async () => {
    const lines: string[] = [];
    const part = controller(ConfigMap, {
      name: 'stale',
      where: { labelSelector: 'mine' },
      async reconcile(map, { objects }) {
        await objects(ConfigMap).update({ ...map, metadata: { ...map.metadata, resourceVersion: '1' } });
      },
    });
    await using running = await runApp([part], undefined, { log: logTo(lines) });
    await createMap(running);
    await running.settle();
    expect(lines).toEqual([]);
    await running.clock.advance('1h');
    await running.settle();
    expect(lines[0]).toMatch(
      /^W.* "work failed, will be tried again" controller="stale" object="default\/m" failures=10 error=".*has been modified/,
    );
  });
});
