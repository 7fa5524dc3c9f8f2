import { describe, expect, test } from 'vitest';
import type { Client } from '../client/index.ts';
import { serviceAccountTokenCleaner } from './service-account-token-cleaner.ts';
import { startWith } from './testing/controller-cluster.ts';

const DAY_MS = 86_400_000;
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

/** A service account that lists its tokens, as in old clusters. */
async function createTokens(client: Client, secrets: Readonly<Record<string, Record<string, string>>>): Promise<void> {
  const { serviceaccounts, secrets: all } = client.core.v1;
  const names = Object.keys(secrets).map((name) => ({ name }));
  await serviceaccounts.namespace('default').create({ metadata: { name: 'robot' }, secrets: names });
  for (const [name, labels] of Object.entries(secrets)) {
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const metadata = { name, labels, annotations };
    await all.namespace('default').create({ metadata, type: 'kubernetes.io/service-account-token' });
  }
}

describe('unused tokens', () => {
  test('are marked after some days, and deleted after the same time again', async () => {
    await using cluster = await startWith(serviceAccountTokenCleaner({ tokenCleanUpPeriod: 3 * DAY_MS }));
    const { client, clock } = cluster;
    const secrets = client.core.v1.secrets.namespace('default');
    await createTokens(client, {
      old: {},
      used: { 'kubernetes.io/legacy-token-last-used': '2026-01-04' },
      mounted: {},
    });
    await client.core.v1.pods.namespace('default').create({
      metadata: { name: 'a' },
      spec: {
        containers: [{ name: 'c', image: 'x' }],
        volumes: [{ name: 'v', secret: { secretName: 'mounted' } }],
      },
    });
    const marks = async (): Promise<object> => {
      const { items } = await secrets.list();
      return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.labels?.[INVALID_SINCE]]));
    };

    await clock.advance(3 * DAY_MS);
    await cluster.settle();
    expect(await marks()).toEqual({ old: undefined, used: undefined, mounted: undefined });
    await clock.advance(2 * DAY_MS);
    await cluster.settle();
    expect(await marks()).toEqual({ old: '2026-01-05', used: undefined, mounted: undefined });
    await clock.advance(4 * DAY_MS);
    await cluster.settle();
    expect(await marks()).toEqual({ used: '2026-01-08', mounted: undefined });
  });
});
