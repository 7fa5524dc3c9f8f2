import { describe, expect, test, vi } from 'vitest';
import { ConfigMap, mergePatch } from '../client/index.ts';
import { app, controller } from '../kit/index.ts';
import { startCluster } from './index.ts';
import { replayOf } from './replay.ts';

/** Two controllers that increment the same number without protection: each reads it and writes it plus one. */
function racy() {
  const counting = (name: string) =>
    controller(ConfigMap, {
      name,
      where: { namespace: 'default', labelSelector: 'count' },
      async reconcile({ metadata: { name: map } }, { client }) {
        const maps = client.core.v1.configmaps.namespace('default');
        const { data } = await maps.get(map);
        if (data?.[name] !== undefined) return;
        const total = String(Number(data?.['total'] ?? '0') + 1);
        await maps.patch(map, mergePatch({ data: { total, [name]: 'done' } }));
      },
    });
  return app('racy', [counting('one'), counting('two')]);
}

async function race(options: { readonly seed?: string; readonly interleave?: boolean; readonly signal: AbortSignal }) {
  await using cluster = await startCluster({ nodes: 1, trace: true, interleave: true, ...options });
  await cluster.run(racy());
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name, labels: { count: '' } } });
  await cluster.settle();
  const { items } = await maps.list({ labelSelector: 'count' });
  const totals = items.map(({ data }) => data?.['total']).join(' ');
  return { totals, text: cluster.trace({ all: true }).text, replay: cluster.replay };
}

describe('a run of a cluster', () => {
  test('with a race varies by seed, and is the same with the same seed', async ({ signal }) => {
    const seeds = Array.from({ length: 6 }, (_item, index) => `seed-${index}`);
    const runs = new Map<string, Awaited<ReturnType<typeof race>>>();
    for (const seed of seeds) runs.set(seed, await race({ seed, signal }));
    const ends = new Set([...runs.values()].map(({ totals }) => totals));
    expect(ends.size).toBeGreaterThan(1);
    for (const seed of seeds.slice(0, 3)) {
      const { totals, text } = runs.get(seed) ?? {};
      expect(await race({ seed, signal })).toMatchObject({ totals, text });
    }
  });

  test('without a seed can be repeated from cluster.replay', async ({ signal }) => {
    const first = await race({ signal });
    vi.stubEnv('KEELSON_REPLAY', first.replay);
    try {
      expect(await race({ signal })).toEqual(first);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('is not repeated from an invalid value', () => {
    const repeat = (text: string) => () => replayOf({}, { KEELSON_REPLAY: text });
    expect(repeat('x')).toThrow('Cannot replay KEELSON_REPLAY="x": it is not SEED@TIME, as a failed test prints it');
    expect(repeat('x@yesterday')).toThrow('it is not SEED@TIME');
    expect(replayOf({}, { KEELSON_REPLAY: 'a@b@2030-01-01T00:00:00.000Z' })).toEqual({
      seed: 'a@b',
      startAt: '2030-01-01T00:00:00.000Z',
    });
    expect(replayOf({ seed: 'mine' }, { KEELSON_REPLAY: 'x' })).toEqual({ seed: 'mine' });
  });
});
