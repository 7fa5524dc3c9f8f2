import { expect, test } from 'vitest';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';

/** A pod of a cluster, and tokens for it. */
async function start(): Promise<
  { tokens: ServiceAccountTokens; pod: Observed<Pod>; clock: VirtualClock } & AsyncDisposable
> {
  const clock = new VirtualClock({ maySkip: () => true });
  const cluster = await TestCluster.start({ clock });
  const { serviceaccounts, pods } = cluster.client().core.v1;
  await serviceaccounts.namespace('default').create({ metadata: { name: 'app' } });
  const pod = await pods.namespace('default').create({
    metadata: { name: 'web' },
    spec: { serviceAccountName: 'app', nodeName: 'n', containers: [{ name: 'web', image: 'web' }] },
  });
  const tokens = new ServiceAccountTokens(cluster.client(), { clock, random: new SeededRandom(1) });
  return { tokens, pod, clock, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

test('a token is used for four fifths of its life, and then replaced', async () => {
  await using run = await start();
  const source = { path: 'token', expirationSeconds: 3600 };
  const first = await run.tokens.get(run.pod, source);
  await run.clock.advance('47m');
  expect(await run.tokens.get(run.pod, source)).toBe(first);
  await run.clock.advance('2m');
  const second = await run.tokens.get(run.pod, source);
  expect(second).not.toBe(first);
  expect(await run.tokens.get(run.pod, source)).toBe(second);
});

test('a token that lives for weeks is replaced every day', async () => {
  await using run = await start();
  const source = { path: 'token', expirationSeconds: 14 * 24 * 3600, audience: 'vault' };
  const first = await run.tokens.get(run.pod, source);
  await run.clock.advance('23h');
  expect(await run.tokens.get(run.pod, source)).toBe(first);
  await run.clock.advance('61m');
  expect(await run.tokens.get(run.pod, source)).not.toBe(first);
});

test('a token is not shared between audiences, and not known after its pod has gone', async () => {
  await using run = await start();
  const first = await run.tokens.get(run.pod, { path: 'a', audience: 'a' });
  expect(await run.tokens.get(run.pod, { path: 'b', audience: 'b' })).not.toBe(first);
  run.tokens.forget(run.pod.metadata.uid);
  await run.clock.advance('1s');
  expect(await run.tokens.get(run.pod, { path: 'a', audience: 'a' })).not.toBe(first);
});

test('an account that is missing is named', async () => {
  await using run = await start();
  const pod = { ...run.pod, spec: { ...run.pod.spec, containers: [], serviceAccountName: 'none' } };
  await expect(run.tokens.get(pod, { path: 'token' })).rejects.toThrow(
    'failed to fetch token: serviceaccounts "none" not found',
  );
});
