import { describe, expect, test } from 'vitest';
import { aborted, LineLogger, settle } from '../base/index.ts';
import { ConfigMap, type KubernetesObject, namespacedKind, Secret, type Transport } from '../client/index.ts';
import { app, controller, type Part } from './index.ts';
import { HeldWatches } from './testing/held-watches.ts';
import { HidingTransport } from './testing/hiding-transport.ts';
import { runApp } from './testing/running-app.ts';

const Widget = namespacedKind<KubernetesObject>({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets' });

describe('an app', () => {
  test('runs its parts on shared caches', async () => {
    const names: string[] = [];
    const part = (name: string): Part => ({
      name,
      prepare(context) {
        const maps = context.objects(ConfigMap, { namespace: 'default' });
        expect(context.objects(ConfigMap, { namespace: 'default' })).toBe(maps);
        return {
          isIdle: true,
          async run(signal) {
            names.push(name, ...maps.list().map(({ metadata }) => metadata.name));
            await aborted(signal);
          },
        };
      },
    });
    await using running = await runApp([part('a'), part('b')], async (client) => {
      await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' } });
    });
    expect(names).toEqual(['a', 'm', 'b', 'm']);
    expect(running.app.unready).toEqual([]);
  });

  test('passes writes on to every cache of the kind', async () => {
    let check = async (): Promise<void> => undefined;
    const part: Part = {
      name: 'part',
      prepare(context) {
        const all = context.objects(ConfigMap);
        const some = context.objects(ConfigMap, { labelSelector: 'some' });
        const count = (): number[] => [all, some].map((objects) => objects.list({ namespace: 'default' }).length);
        check = async () => {
          await some.create({ metadata: { name: 'a', namespace: 'default' } });
          expect(count()).toEqual([1, 0]);
          await some.create({ metadata: { name: 'b', namespace: 'default', labels: { some: '' } } });
          expect(count()).toEqual([2, 1]);
          await all.delete('default/b');
          expect(count()).toEqual([1, 0]);
        };
        return { isIdle: true, run: aborted };
      },
    };
    const watches: HeldWatches[] = [];
    const transport = (inner: Transport): Transport => (watches[0] = new HeldWatches(inner));
    await using running = await runApp([part], undefined, { transport });
    watches[0]?.hold();
    await check();
    watches[0]?.release();
    await running.settle();
    expect(running.app.caches().map(({ kind, cache }) => [kind.kind, cache.get('default/a')?.metadata.name])).toEqual([
      ['ConfigMap', 'a'],
    ]);
  });

  test('does not delay other parts for a controller whose kind is not served', async () => {
    const seen: string[] = [];
    const widgets = controller(Widget, { reconcile: (_widget, { key }) => void seen.push(key) });
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      reconcile: (_map, { key }) => void seen.push(key),
    });
    await using running = await runApp([widgets, maps]);
    await running.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' } });
    await running.settle();

    expect(seen).toEqual(['default/m']);
    expect(running.app.unready).toEqual(['example.com/v1 widgets not filled yet']);
    await running.clock.advance('10m');
    expect(running.app.isIdle).toBe(true);
  });

  test('starts a controller when its kind is served, and logs a warning when that takes long', async () => {
    const seen: string[] = [];
    const messages: string[] = [];
    const log = new LineLogger({ clock: { now: () => 0 }, write: (line) => void messages.push(line), level: 'warn' });
    const secrets = controller(Secret, {
      where: { namespace: 'default' },
      reconcile: (_secret, { key }) => void seen.push(key),
    });
    let hiding: HidingTransport | undefined;
    const transport = (inner: Transport): Transport => (hiding = new HidingTransport(inner, /secrets/));
    await using running = await runApp([secrets], undefined, { transport, log });
    await running.client.core.v1.secrets.namespace('default').create({ metadata: { name: 's' } });
    await running.clock.advance('1m');
    expect(seen).toEqual([]);
    expect(messages.some((line) => line.includes('part waits for its caches'))).toBe(true);

    hiding!.isHiding = false;
    await running.clock.advance('1m');
    expect(seen).toEqual(['default/s']);
    expect(running.app.unready).toEqual([]);
  });

  test('fails when a part fails, after the others have ended', async () => {
    const log: string[] = [];
    const fine: Part = {
      name: 'fine',
      prepare: () => ({
        isIdle: true,
        async run(signal) {
          await aborted(signal);
          await settle();
          log.push('fine has ended');
        },
      }),
    };
    const broken: Part = {
      name: 'broken',
      prepare: () => ({ isIdle: true, run: () => Promise.reject(new Error('broken')) }),
    };
    const running = await runApp([fine, broken]);
    await expect(running[Symbol.asyncDispose]()).rejects.toThrow('broken');
    expect(log).toEqual(['fine has ended']);
  });

  test('refuses two parts of one name', () => {
    const part = controller(ConfigMap, { reconcile: () => undefined });
    expect(() => app('x', [part, part])).toThrow('two parts are called "configmaps"');
  });

  test('says in /readyz what it waits for, and in /metrics what it has done', async () => {
    let port = 0;
    const widgets = controller(Widget, { reconcile: () => undefined });
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      reconcile: (map) => {
        if (map.metadata.name === 'bad') throw new Error('bad');
      },
    });
    const health = { port: 0, onListening: (address: { port: number }) => void (port = address.port) };
    await using running = await runApp([widgets, maps], undefined, { health });
    const maps1 = running.client.core.v1.configmaps.namespace('default');
    await maps1.create({ metadata: { name: 'good' } });
    await maps1.create({ metadata: { name: 'bad' } });
    await running.settle();
    while (port === 0) await settle();
    const ask = async (path: string): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${response.status} ${await response.text()}`;
    };

    expect(await ask('/healthz')).toBe('200 ok');
    expect(await ask('/readyz')).toBe('503 [-]example.com/v1 widgets not filled yet\nreadyz check failed\n');
    expect(await ask('/other')).toBe('404 404 page not found\n');
    const metrics = await ask('/metrics');
    expect(metrics).toContain('controller_runtime_reconcile_total{controller="configmaps",result="success"} 1\n');
    expect(metrics).toContain('controller_runtime_reconcile_total{controller="configmaps",result="error"} 1\n');
    expect(metrics).toContain('controller_runtime_reconcile_errors_total{controller="configmaps"} 1\n');
    expect(metrics).toContain('workqueue_depth{name="configmaps"} 0\n');
    await running.stop();
    await expect(ask('/healthz')).rejects.toThrow();
  });

  test('lets work in progress finish when it stops, up to a limit', async () => {
    const log: string[] = [];
    const maps = controller(ConfigMap, {
      where: { labelSelector: 'slow' },
      concurrency: 2,
      async reconcile(map, { clock, signal }) {
        await clock.sleep(Number(map.data?.['ms']), signal);
        log.push(`${map.metadata.name} ${signal.aborted ? 'aborted' : 'finished'}`);
      },
    });
    await using running = await runApp([maps], undefined, { stopGrace: '10s' });
    const maps1 = running.client.core.v1.configmaps.namespace('default');
    for (const [name, ms] of [
      ['quick', '5000'],
      ['endless', '50000'],
      ['waiting', '1'],
    ] as const) {
      await maps1.create({ metadata: { name, labels: { slow: '' } }, data: { ms } });
      await settle();
    }
    const stopping = running.stop();
    await running.clock.advance('9s');
    expect(log).toEqual(['quick finished']);
    await running.clock.advance('2s');
    await stopping;
    expect(log).toEqual(['quick finished', 'endless aborted']);
  });

  test('is not idle during a reconcile, and is idle while one waits for a timer', async () => {
    let go = (): void => undefined;
    const maps = controller(Secret, {
      where: { namespace: 'default' },
      reconcile: (_secret, { after }) => {
        after('1m');
        return new Promise<void>((resolve) => (go = resolve));
      },
    });
    await using running = await runApp([maps]);
    await running.client.core.v1.secrets.namespace('default').create({ metadata: { name: 's' } });
    await settle();
    expect(running.app.isIdle).toBe(false);
    go();
    await settle();
    expect(running.app.isIdle).toBe(true);
    expect(running.app.trace({ controller: 'secrets', key: 'default/s' })).toHaveLength(1);
    await running.stop();
  });
});
