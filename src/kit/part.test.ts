import { expect, test } from 'vitest';
import { aborted, runTogether, settle } from '../base/index.ts';
import { ConfigMap, index, keyOf, type Observed } from '../client/index.ts';
import type { AppContext, KeyedWorkers, ProgramPart, Subscription } from './index.ts';
import { runApp } from './testing/running-app.ts';

const byTeam = index(ConfigMap, ({ data }) => data?.['team']);
const SCOPE = { namespace: 'default' };
const map = (name: string, team: string): object => ({ metadata: { name, namespace: 'default' }, data: { team } });

test('a part receives existing objects before it runs, changes while it runs, and nothing afterwards', async () => {
  const log: string[] = [];
  const end = new AbortController();
  let subscription: Subscription | undefined;
  const part: ProgramPart = {
    name: 'listener',
    prepare(context) {
      subscription = context.onChange(
        ConfigMap,
        {
          add: (object, { isInInitialList }) =>
            void log.push(`add ${keyOf(object)}${isInInitialList ? ' initially' : ''}`),
          delete: (object) => void log.push(`delete ${keyOf(object)}`),
        },
        SCOPE,
      );
      return {
        async run(signal) {
          log.push('run');
          await aborted(AbortSignal.any([signal, end.signal]));
        },
      };
    },
  };
  await using running = await runApp([part], async (client) => {
    await client.kindIn(ConfigMap, 'default').create(map('a', 'red'));
  });
  const maps = running.client.core.v1.configmaps.namespace('default');
  expect(log.splice(0)).toEqual(['add default/a initially', 'run']);
  await subscription?.synced(end.signal);

  await maps.create(map('b', 'red'));
  await maps.delete('a');
  await running.settle();
  expect(log.splice(0)).toEqual(['add default/b', 'delete default/a']);

  end.abort();
  await settle();
  await maps.delete('b');
  await running.settle();
  expect(log).toEqual([]);
});

test("the concurrency of a part's workers can be overridden if they set one", async () => {
  const begun: string[] = [];
  const end = new AbortController();
  const queues: KeyedWorkers[] = [];
  const part: ProgramPart = {
    name: 'busy',
    concurrency: 3,
    prepare(context) {
      const work = (name: string) => async (): Promise<void> => {
        begun.push(name);
        await aborted(end.signal);
      };
      queues.push(context.workers('many', { concurrency: 5, work: work('many') }));
      queues.push(context.workers('one', { work: work('one') }));
      return { run: (signal) => runTogether(queues, signal) };
    },
  };
  await using running = await runApp([part]);

  for (const queue of queues) for (let key = 0; key < 8; key++) queue.add(String(key));
  await settle();

  expect(begun.toSorted()).toEqual(['many', 'many', 'many', 'one']);
  end.abort();
  await running.settle();
  expect(begun.length).toBe(16);
});

test('a handler can come and go while the part runs', async () => {
  const seen: string[] = [];
  let context: AppContext | undefined;
  const part: ProgramPart = {
    name: 'late',
    prepare: (given) => ((context = given), { run: aborted }),
  };
  await using running = await runApp([part], async (client) => {
    await client.kindIn(ConfigMap, 'default').create(map('a', 'red'));
  });
  const subscription = context?.onChange(ConfigMap, { add: ({ metadata }) => void seen.push(metadata.name) }, SCOPE);
  await running.settle();
  expect(seen).toEqual(['a']);

  subscription?.[Symbol.dispose]();
  await running.client.core.v1.configmaps.namespace('default').create(map('b', 'red'));
  await running.settle();

  expect(seen).toEqual(['a']);
});

test('workers act on changes, the app knows when they are done, and the trace records why', async () => {
  const counts = new Map<string, number>();
  const part: ProgramPart = {
    name: 'counter',
    prepare(context) {
      const maps = context.objects(ConfigMap, SCOPE);
      const workers = context.workers('counter', {
        work: (team) => void counts.set(team, maps.byIndex(byTeam, team).length),
      });
      const add = (object: Observed<ConfigMap>): void =>
        workers.add(object.data?.['team'] ?? '', { why: `${keyOf(object)} changed` });
      context.onChange(ConfigMap, { add, update: (object, old) => (add(old), add(object)), delete: add }, SCOPE);
      return workers;
    },
  };
  await using running = await runApp([part]);
  const maps = running.client.core.v1.configmaps.namespace('default');
  for (const [name, team] of [
    ['a', 'red'],
    ['b', 'red'],
    ['c', 'blue'],
  ] as const)
    await maps.create(map(name, team));
  await running.settle();
  expect(counts).toEqual(new Map(Object.entries({ red: 2, blue: 1 })));

  await maps.update(map('b', 'blue'));
  await maps.delete('a');
  await running.settle();

  expect(counts).toEqual(new Map(Object.entries({ red: 0, blue: 2 })));
  expect(running.app.trace({ controller: 'counter' }).at(-1)).toMatchObject({ outcome: 'done', writes: 0 });
  expect(running.app.trace({ controller: 'counter', key: 'blue' }).at(-1)?.why).toEqual(['default/b changed']);
  expect(running.app.metrics).toContain('workqueue_adds_total{name="counter"}');
});
