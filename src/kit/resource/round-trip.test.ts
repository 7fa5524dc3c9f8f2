import { expect, test } from 'vitest';
import { z } from 'zod';
import { resource } from './resource.ts';

const newest = { spec: z.object({ size: z.int().min(1).max(9), mode: z.enum(['fast', 'safe']).default('safe') }) };
const status = z.object({ ready: z.int() });

test('converts in both directions, and keeps what the conversions do not set', () => {
  const Cache = resource('cache.example.dev/v1', 'Cache', { ...newest, status }).older(
    'v1beta1',
    { spec: z.object({ replicas: z.int().min(1) }), status },
    {
      up: ({ spec, metadata }) => ({
        spec: { size: spec.replicas },
        metadata: { labels: { ...metadata?.labels, up: '1' } },
      }),
      down: ({ spec }) => ({ spec: { replicas: spec.size } }),
    },
  );
  expect(Cache.versions).toEqual(['v1', 'v1beta1']);
  expect(Cache.at('v1beta1')).toMatchObject({ apiVersion: 'cache.example.dev/v1beta1', plural: 'caches' });
  expect(() => Cache.at('v2' as 'v1beta1')).toThrow('it has v1, v1beta1');
  const old = {
    apiVersion: 'cache.example.dev/v1beta1',
    kind: 'Cache',
    metadata: { name: 'a', uid: 'u', labels: { team: 'x' } },
    spec: { replicas: 3 },
    status: { ready: 1 },
  };
  expect(Cache.convert(old, 'cache.example.dev/v1')).toEqual({
    apiVersion: 'cache.example.dev/v1',
    kind: 'Cache',
    metadata: { name: 'a', uid: 'u', labels: { team: 'x', up: '1' } },
    spec: { size: 3 },
    status: { ready: 1 },
  });
  expect(() => Cache.convert(old, 'cache.example.dev/v7')).toThrow('"cache.example.dev/v7" is no version of the kind');
});

test('puts several versions in one definition, one of them stored', () => {
  const Cache = resource('cache.example.dev/v1', 'Cache', newest)
    .older('v1beta1', newest, { deprecated: 'use v1', stored: true })
    .older('v1alpha1', newest, { served: false });
  const { spec } = Cache.manifest();

  expect(spec.conversion).toBeUndefined();
  expect(spec.versions.map(({ schema: _, ...flags }) => flags)).toEqual([
    { name: 'v1', served: true, storage: false },
    { name: 'v1beta1', served: true, storage: true, deprecated: true, deprecationWarning: 'use v1' },
    { name: 'v1alpha1', served: false, storage: false },
  ]);
  expect(() => Cache.older('v1', newest)).toThrow('it is there already');
});

test('puts the webhook into a definition with conversions', () => {
  const Cache = resource('cache.example.dev/v1', 'Cache', newest).older('v1beta1', newest, {
    up: ({ spec }) => ({ spec }),
    down: ({ spec }) => ({ spec }),
  });
  const service = { namespace: 'default', name: 'cache', path: '/convert' };

  expect(() => Cache.manifest()).toThrow('its versions are converted by a webhook; say where that is');
  expect(Cache.manifest({ conversion: { service } }).spec.conversion).toEqual({
    strategy: 'Webhook',
    webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
  });
});

test('reports no losses for a round trip that keeps everything', async () => {
  const Cache = resource('cache.example.dev/v1', 'Cache', newest).older(
    'v1beta1',
    { spec: z.object({ replicas: z.int().min(1).max(9), isFast: z.boolean().default(false) }) },
    {
      up: ({ spec }) => ({ spec: { size: spec.replicas, mode: spec.isFast ? 'fast' : 'safe' } }),
      down: ({ spec }) => ({ spec: { replicas: spec.size, isFast: spec.mode === 'fast' } }),
    },
  );
  expect(await Cache.checkRoundTrip({ runs: 50 })).toEqual({ tried: 100, discarded: 0, losses: [] });
});

test('reports once, with an example, what a round trip loses, changes, adds or makes invalid', async () => {
  const Cache = resource('cache.example.dev/v1', 'Cache', newest).older(
    'v1beta1',
    {
      spec: z.object({
        replicas: z.int().min(1).max(12),
        note: z.string().optional(),
        ports: z.array(z.int()).length(2),
      }),
    },
    {
      up: ({ spec }) => ({ spec: { size: spec.replicas } }),
      down: ({ spec }) => ({ spec: { replicas: spec.size, ports: [1, 2] } }),
    },
  );
  const { losses, tried } = await Cache.checkRoundTrip({ seed: 'a' });

  expect(tried).toBe(200);
  expect(losses.map(({ from, path, problem }) => `${from} ${path} ${problem}`).sort()).toEqual([
    'v1 spec.mode changed',
    'v1beta1  refused',
    'v1beta1 spec.note lost',
    'v1beta1 spec.ports[*] changed',
  ]);
  expect(losses.find(({ path }) => path === 'spec.mode')).toMatchObject({
    through: 'v1beta1',
    before: 'fast',
    after: 'safe',
  });
  expect(losses.find(({ problem }) => problem === 'refused')?.message).toContain('should be less than or equal to 9');
  expect(await Cache.checkRoundTrip({ seed: 'a' })).toEqual({ losses, tried, discarded: 0 });
});

test('reports a version for which no valid object can be generated', async () => {
  const never = { ...newest, rules: { 'self.size > 9': 'nothing fits' } };
  const Cache = resource('cache.example.dev/v1', 'Cache', newest).older('v1beta1', never, {
    up: ({ spec }) => ({ spec }),
    down: ({ spec }) => ({ spec }),
  });
  const { losses } = await Cache.checkRoundTrip({ runs: 3 });

  expect(losses.find(({ from }) => from === 'v1beta1')).toMatchObject({
    problem: 'untried',
    message: expect.stringContaining('nothing fits'),
  });
});
