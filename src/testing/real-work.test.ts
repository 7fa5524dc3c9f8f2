import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { RealClock } from '../base/index.ts';
import { ConfigMap, mergePatch } from '../client/index.ts';
import { type App, app, controller, type ReconcileContext } from '../kit/index.ts';
import { startCluster, type StartClusterOptions } from './index.ts';

const bare: StartClusterOptions = { controllers: false, scheduler: false, nodes: 0 };
const map = { metadata: { name: 'm', namespace: 'default' } };

/** A server that answers slowly, in real time. */
async function slowServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_, response) => void new RealClock().timer(20, () => response.end('pong'))).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function polling(work: (context: ReconcileContext) => Promise<unknown>): { readonly runs: number; readonly app: App } {
  let runs = 0;
  const part = controller(ConfigMap, {
    name: 'polling',
    where: { namespace: 'default' },
    async reconcile(_, context) {
      await work(context);
      runs += 1;
      context.after('10m');
    },
  });
  const made = app('polling', [part]);
  return {
    app: made,
    get runs() {
      return runs;
    },
  };
}

describe('a run that waits for something outside of the cluster', () => {
  test.each(['an answer', 'a file', 'the clock'])('runs when it should, whether it waits for %s', async (what) => {
    await using server = await slowServer();
    const poll = polling(async ({ signal, clock }) => {
      if (what === 'the clock') await clock.sleep(30_000, signal);
      else if (what === 'a file') await readFile(fileURLToPath(import.meta.url));
      else await (await fetch(server.url, { signal })).text();
    });
    await using cluster = await startCluster(bare);
    await cluster.client.core.v1.configmaps.namespace('default').create(map);
    await cluster.run(poll.app);
    await cluster.clock.advance('1m');
    expect(poll.runs).toBe(1);
    for (let round = 0; round < 6; round++) await cluster.clock.advance('10m30s');
    expect(poll.runs).toBe(7);
    await cluster.clock.advance('63m');
    expect(poll.runs).toBe(13);
  });

  test('is settled as well', async () => {
    await using server = await slowServer();
    await using cluster = await startCluster(bare);
    await cluster.run(
      app('asking', [
        controller(ConfigMap, {
          where: { namespace: 'default' },
          async reconcile({ data }, { key, objects }) {
            if (data !== undefined) return;
            const text = await (await fetch(server.url)).text();
            await objects(ConfigMap).patch(key, mergePatch({ data: { text } }));
          },
        }),
      ]),
    );
    const maps = cluster.client.core.v1.configmaps.namespace('default');
    await maps.create(map);
    await cluster.settle();
    expect((await maps.get('m')).data).toEqual({ text: 'pong' });
  });

  test('is named when it takes too long', async () => {
    await using cluster = await startCluster({ ...bare, reconcileTimeout: '50ms' });
    let resolve: () => void = () => undefined;
    const answer = new Promise<void>((done) => (resolve = done));
    const poll = polling(() => answer);
    await cluster.run(poll.app);
    await cluster.client.core.v1.configmaps.namespace('default').create(map);
    const held = 'the run of controller "polling" for "default/m" (ConfigMap default/m added) is still under way';
    await expect(cluster.clock.advance('1m')).rejects.toThrow(`Cannot let time pass: after 50 ms ${held}`);
    await expect(cluster.settle()).rejects.toThrow(held);
    resolve();
    await cluster.settle();
    expect(poll.runs).toBe(1);
  });
});

test('settle() ends while a run waits for time and changes wait for that run', async () => {
  await using cluster = await startCluster(bare);
  const runs: string[] = [];
  const slow = controller(ConfigMap, {
    name: 'slow',
    where: { namespace: 'default' },
    async reconcile({ metadata }, { clock, signal }) {
      runs.push(`${metadata.name} begins`);
      await clock.sleep(60_000, signal);
    },
  });
  await cluster.run(app('slow', [slow]));
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  await maps.create(map);
  await cluster.settle();
  await maps.patch('m', mergePatch({ data: { a: 'b' } })); // the next run of its key
  await maps.create({ metadata: { name: 'other' } }); // the only worker is taken
  await cluster.settle();
  expect(runs).toEqual(['m begins']);
  await cluster.clock.advance('2m');
  await cluster.settle();
  expect(runs.toSorted()).toEqual(['m begins', 'm begins', 'other begins']);
});

test('settle() names the controllers that loop', async () => {
  const count = (name: string, by: string) =>
    controller(ConfigMap, {
      name,
      where: { namespace: 'default' },
      async reconcile({ data }, { key, objects }) {
        if (data?.['by'] !== by) await objects(ConfigMap).patch(key, mergePatch({ data: { by } }));
      },
    });
  await using cluster = await startCluster(bare);
  await cluster.run(app('fight', [count('tick', 'a'), count('tock', 'b')]));
  await cluster.client.core.v1.configmaps.namespace('default').create(map);
  const message = await cluster.settle({ maxRuns: 20 }).then(
    () => '',
    (error: Error) => error.message,
  );
  expect(message).toContain('Cannot settle the cluster: more than 20 runs for one object, which go round in circles:');
  expect(message).toContain('tick for "default/m", 1 writes; why: ConfigMap default/m changed');
  expect(message).toContain('tock for "default/m", 1 writes; why: ConfigMap default/m changed');
});

test.each([0, '0s'] as const)('settle() names a controller that asks for its next run after %j', async (delay) => {
  const eager = controller(ConfigMap, {
    name: 'eager',
    where: { namespace: 'default' },
    reconcile: (_map, { after }) => after(delay),
  });
  await using cluster = await startCluster(bare);
  await cluster.run(app('loops', [eager]));
  await cluster.client.core.v1.configmaps.namespace('default').create(map);
  await expect(cluster.settle()).rejects.toThrow(
    'more than 1000 runs for one object, which go round in circles:\n  eager for "default/m", 0 writes; why: after 0s',
  );
});
