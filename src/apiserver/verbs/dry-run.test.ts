// A dry run answers as if it had happened, and changes nothing, not even objects with finalizers.
import { describe, expect, test } from 'vitest';
import { MERGE_PATCH, TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const POD_SPEC = { containers: [{ name: 'main', image: 'image' }], nodeName: 'n1' };
const APPLY = 'application/apply-patch+yaml';
const FINALIZERS = ['example.com/hold'];
const map = (name: string, finalizers: string[] = []) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, finalizers },
});

/** `free`, `held` by a finalizer, `leaving`: deleted but held, and a `pod` with a grace period. */
async function openApi(): Promise<TestApi> {
  const api = await TestApi.open();
  await api.send('POST', MAPS, map('free'));
  await api.send('POST', MAPS, map('held', FINALIZERS));
  await api.send('POST', MAPS, map('leaving', FINALIZERS));
  await api.send('DELETE', `${MAPS}/leaving`);
  await api.send('POST', PODS, { metadata: { name: 'pod' }, spec: POD_SPEC });
  return api;
}

/** All objects, and the revision, which any write would change. */
async function stateOf(api: TestApi): Promise<unknown> {
  const [maps, pods] = [await api.send('GET', MAPS), await api.send('GET', PODS)];
  return { revision: await api.store.revision(), maps: maps.body['items'], pods: pods.body['items'] };
}

describe('a dry run changes nothing:', () => {
  const noFinalizers = { metadata: { finalizers: null } };
  test.each([
    ['DELETE', `${MAPS}/free`],
    ['DELETE', `${MAPS}/held`],
    ['DELETE', `${MAPS}/leaving`],
    ['DELETE', `${MAPS}/free?propagationPolicy=Foreground`],
    ['DELETE', `${MAPS}/leaving?propagationPolicy=Orphan`],
    ['DELETE', `${PODS}/pod`],
    ['DELETE', `${PODS}/pod?gracePeriodSeconds=0`],
    ['DELETE', MAPS],
    ['PUT', `${MAPS}/held`, map('held')],
    ['PUT', `${MAPS}/leaving`, map('leaving')],
    ['PATCH', `${MAPS}/held`, noFinalizers, MERGE_PATCH],
    ['PATCH', `${MAPS}/leaving`, noFinalizers, MERGE_PATCH],
    ['PATCH', `${MAPS}/leaving`, [{ op: 'remove', path: '/metadata/finalizers' }], 'application/json-patch+json'],
    ['PATCH', `${MAPS}/held?fieldManager=m&force=true`, map('held', ['example.com/other']), APPLY],
    ['PATCH', `${MAPS}/new?fieldManager=m`, map('new', FINALIZERS), APPLY],
    ['POST', MAPS, map('new', FINALIZERS)],
    ['POST', `${PODS}/pod/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'pod' } }],
  ])('%s %s %j', async (method, path, body?: object, type = 'application/json') => {
    await using api = await openApi();
    const before = await stateOf(api);

    const { code } = await api.send(method, `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, body, type);

    expect(code).toBeLessThan(300);
    expect(await stateOf(api)).toEqual(before);
  });

  test('DELETE whose body asks for it', async () => {
    await using api = await openApi();
    const before = await stateOf(api);
    for (const name of ['free', 'held', 'leaving']) {
      const { code } = await api.send('DELETE', `${MAPS}/${name}`, { dryRun: ['All'] });
      expect(code).toBe(200);
    }
    expect(await stateOf(api)).toEqual(before);
  });
});

test('a dry run answers with the resulting object', async () => {
  await using api = await openApi();
  const held = await api.send('DELETE', `${MAPS}/held?dryRun=All`);
  expect(held.body.metadata).toMatchObject({ name: 'held', deletionGracePeriodSeconds: 0, finalizers: FINALIZERS });
  expect(held.body.metadata.deletionTimestamp).toBeDefined();
  const released = await api.send('PUT', `${MAPS}/leaving?dryRun=All`, map('leaving'));
  expect(released.body.metadata.finalizers ?? []).toEqual([]);
  expect((await api.send('DELETE', `${MAPS}/free?dryRun=All`)).body).toMatchObject({
    kind: 'Status',
    status: 'Success',
  });
});
