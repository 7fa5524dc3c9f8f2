import { expect, test } from 'vitest';
import { TestApi } from '../testing/test-api.ts';
import { eventRateLimit } from './event-rate-limit.ts';

const KIND = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' };

function opened(...limits: readonly object[]): Promise<TestApi> {
  return TestApi.open({}, (parts) => [eventRateLimit(parts, JSON.stringify({ ...KIND, limits }))]);
}

async function write(api: TestApi, name: string, about = 'p', query = ''): Promise<number> {
  const involvedObject = { kind: 'Pod', namespace: 'kinds', name: about };
  return (await api.create({ apiVersion: 'v1', kind: 'Event', metadata: { name }, involvedObject } as object, query))
    .code;
}

test('accepts as many events as there are tokens, and more as time passes', async () => {
  await using api = await opened({ type: 'Server', qps: 2, burst: 3 });
  const codes = [];
  for (const name of ['a', 'b', 'c', 'd']) codes.push(await write(api, name));
  expect(codes).toEqual([201, 201, 201, 429]);
  expect(await write(api, 'dry', 'p', '?dryRun=All')).toBe(201);

  await api.clock.advance('500ms');
  expect([await write(api, 'e'), await write(api, 'f')]).toEqual([201, 429]);
});

test('dropped buckets start full again, so that their number stays limited', async () => {
  await using api = await opened({ type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 2 });
  const codes = [];
  for (const [name, about] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
    ['d', 'z'],
    ['e', 'y'],
  ] as const)
    codes.push(await write(api, name, about));
  expect(codes).toEqual([201, 201, 429, 201, 201]); // `y` was the least recently used when `z` came
});
