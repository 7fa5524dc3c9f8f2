import { expect, test } from 'vitest';
import { TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const HOLD = 'example.com/hold';

test.each([
  { finalizers: [HOLD], query: 'orphanDependents=true', then: [HOLD, 'orphan'] },
  { finalizers: [HOLD, 'orphan'], query: 'orphanDependents=false', then: [HOLD], code: 202 },
  { finalizers: [HOLD], query: 'propagationPolicy=Orphan', then: [HOLD, 'orphan'] },
  { finalizers: [HOLD, 'orphan'], query: 'propagationPolicy=Foreground', then: [HOLD, 'foregroundDeletion'] },
  { finalizers: [HOLD, 'foregroundDeletion'], query: 'propagationPolicy=Background', then: [HOLD] },
  { finalizers: [HOLD, 'orphan'], query: '', then: [HOLD, 'orphan'] },
  { finalizers: [HOLD, 'foregroundDeletion'], query: '', then: [HOLD, 'foregroundDeletion'] },
])('deleting $finalizers with "$query" leaves $then', async ({ finalizers, query, then, code = 200 }) => {
  await using api = await TestApi.open();
  await api.send('POST', MAPS, { metadata: { name: 'm', finalizers } });
  expect((await api.send('DELETE', `${MAPS}/m?${query}`)).code).toBe(code);
  expect((await api.send('GET', `${MAPS}/m`)).body.metadata.finalizers).toEqual(then);
});
