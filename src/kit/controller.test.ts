import { describe, expect, test } from 'vitest';
import { ConfigMap, keyOf, Pod, Secret } from '../client/index.ts';
import { controlledBy, controller, watch } from './index.ts';
import { runApp } from './testing/running-app.ts';

const data = { a: '1' };

describe('a controller', () => {
  test('reconciles existing and new objects, and records why', async () => {
    const seen: [string, readonly string[]][] = [];
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      reconcile: (map, { why }) => void seen.push([keyOf(map), why]),
    });
    await using running = await runApp([maps], async (client) => {
      await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'old' }, data });
    });

    await running.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'new' }, data });
    await running.settle();

    expect(seen).toEqual([
      ['default/old', ['ConfigMap default/old added']],
      ['default/new', ['ConfigMap default/new added']],
    ]);
    expect(running.app.isIdle).toBe(true);
  });

  test('maps changes of children to their controller and of watched objects to the objects they concern', async () => {
    const seen: string[] = [];
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      watches: [
        controlledBy(Pod),
        watch(Secret, { to: (secret) => [`default/${secret.metadata.labels?.['for'] ?? ''}`] }),
      ],
      reconcile: (_map, { why }) => void seen.push(...why),
    });
    await using running = await runApp([maps]);
    const { core } = running.client;
    const map = await core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' }, data });
    await running.settle();

    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'm', uid: map.metadata.uid, controller: true };
    await core.v1.pods.namespace('default').create({
      metadata: { name: 'p', ownerReferences: [owner] },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await running.settle();
    await core.v1.secrets.namespace('default').create({ metadata: { name: 's', labels: { for: 'm' } } });
    await running.settle();

    expect(seen).toEqual(['ConfigMap default/m added', 'Pod default/p added', 'Secret default/s added']);
  });

  test('retries with growing delays after failures, and resets the delay after a success', async () => {
    const times: number[] = [];
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      reconcile: (_map, { clock }) => {
        times.push(clock.monotonic());
        if (times.length < 4) throw new Error('not yet');
      },
    });
    await using running = await runApp([maps]);
    const startMs = running.clock.monotonic();
    await running.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' }, data });
    await running.settle();
    await running.clock.advance('1s');

    expect(times.map((ms) => ms - startMs)).toEqual([0, 5, 15, 35]);
    expect(running.app.trace().map(({ outcome, why }) => [outcome, ...why])).toEqual([
      ['failed', 'ConfigMap default/m added'],
      ['failed', 'retry'],
      ['failed', 'retry'],
      ['done', 'retry'],
    ]);
  });

  test('runs again after the time that it asked for', async () => {
    const whys: string[] = [];
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      reconcile: (_map, { why, after }) => {
        whys.push(...why);
        after('5m');
        after('10m');
      },
    });
    await using running = await runApp([maps]);
    await running.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' }, data });
    await running.settle();
    await running.clock.advance('10m');

    expect(whys).toEqual(['ConfigMap default/m added', 'after 5m0s', 'after 5m0s']);
  });

  test('refuses to read a kind that it does not declare', async () => {
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      // @ts-expect-error -- the compiler refuses it as well
      reconcile: (_map, { objects }) => void objects(Secret).list(),
    });
    await using running = await runApp([maps]);
    await running.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' }, data });
    await running.settle();

    expect(String(running.app.trace().at(-1)?.error)).toContain('controller "configmaps" does not declare them');
  });

  test('never runs twice at once for one object, and never exceeds its concurrency', async () => {
    let underWay = 0;
    let most = 0;
    const keys = new Set<string>();
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      concurrency: 3,
      async reconcile(_map, { key }) {
        expect(keys.has(key)).toBe(false);
        keys.add(key);
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => void setImmediate(resolve));
        underWay -= 1;
        keys.delete(key);
      },
    });
    await using running = await runApp([maps]);
    const maps1 = running.client.core.v1.configmaps.namespace('default');
    for (let round = 0; round < 3; round++) {
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await (round === 0
          ? maps1.create({ metadata: { name } })
          : maps1.update({ metadata: { name }, data: { round: String(round) } }));
      }
    }
    await running.settle();

    expect(most).toBe(3);
    expect(running.app.trace().every(({ outcome }) => outcome === 'done')).toBe(true);
  });

  test('continues when a mapping fails', async () => {
    const seen: string[] = [];
    const maps = controller(ConfigMap, {
      where: { namespace: 'default' },
      watches: [
        watch(Secret, {
          to: () => {
            throw new Error('mapping fails');
          },
        }),
      ],
      reconcile: (_map, { key }) => void seen.push(key),
    });
    await using running = await runApp([maps]);
    await running.client.core.v1.secrets.namespace('default').create({ metadata: { name: 's' } });
    await running.settle();
    await running.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' }, data });
    await running.settle();

    expect(seen).toEqual(['default/m']);
  });
});
