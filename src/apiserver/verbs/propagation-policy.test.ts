import { expect, test } from 'vitest';
import { TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const HOLD = 'example.com/hold';

test.each([
  { finalizers: [HOLD], query: 'orphanDependents=true', left: [HOLD, 'orphan'] },
  { finalizers: [HOLD, 'orphan'], query: 'orphanDependents=false', left: [HOLD], code: 202 },
  { finalizers: [HOLD], query: 'propagationPolicy=Orphan', left: [HOLD, 'orphan'] },
  { finalizers: [HOLD, 'orphan'], query: 'propagationPolicy=Foreground', left: [HOLD, 'foregroundDeletion'] },
  { finalizers: [HOLD, 'foregroundDeletion'], query: 'propagationPolicy=Background', left: [HOLD] },
  { finalizers: [HOLD, 'orphan'], query: '', left: [HOLD, 'orphan'] },
  { finalizers: [HOLD, 'foregroundDeletion'], query: '', left: [HOLD, 'foregroundDeletion'] },
])('deleting $finalizers with "$query" leaves $left', async ({ finalizers, query, left, code = 200 }) => {
  await using api = await TestApi.open();
  await api.send('POST', MAPS, { metadata: { name: 'm', finalizers } });
  expect((await api.send('DELETE', `${MAPS}/m?${query}`)).code).toBe(code);
  expect((await api.send('GET', `${MAPS}/m`)).body.metadata.finalizers).toEqual(left);
});
