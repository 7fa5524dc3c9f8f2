// Deleting an object that is being deleted writes only if something changes.
import { expect, test } from 'vitest';
import { TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const POD_SPEC = { containers: [{ name: 'main', image: 'image' }], nodeName: 'n1' };

/** Deletes an object, and returns whether that wrote anything. */
async function writes(api: TestApi, path: string): Promise<boolean> {
  const before = await api.store.revision();
  const { code } = await api.send('DELETE', path);
  expect(code).toBe(200);
  return (await api.store.revision()) !== before;
}

test('an object with a finalizer is marked once', async () => {
  await using api = await TestApi.open();
  await api.send('POST', MAPS, { metadata: { name: 'm', finalizers: ['example.com/hold'] } });
  expect(await writes(api, `${MAPS}/m`)).toBe(true);
  const marked = (await api.send('GET', `${MAPS}/m`)).body;
  await api.clock.advance('1m');

  expect(await writes(api, `${MAPS}/m`)).toBe(false);
  expect(await writes(api, `${MAPS}/m?gracePeriodSeconds=5`)).toBe(false);
  expect(await writes(api, MAPS)).toBe(false);
  expect((await api.send('GET', `${MAPS}/m`)).body).toEqual(marked);

  expect(await writes(api, `${MAPS}/m?propagationPolicy=Foreground`)).toBe(true); // another finalizer
  expect(await writes(api, `${MAPS}/m?propagationPolicy=Foreground`)).toBe(false);
  expect((await api.send('GET', `${MAPS}/m`)).body.metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
});

test('the grace period of a pod gets shorter, never longer', async () => {
  await using api = await TestApi.open();
  await api.send('POST', PODS, { metadata: { name: 'p' }, spec: POD_SPEC });
  expect(await writes(api, `${PODS}/p?gracePeriodSeconds=20`)).toBe(true);
  expect(await writes(api, `${PODS}/p`)).toBe(false);
  expect(await writes(api, `${PODS}/p?gracePeriodSeconds=20`)).toBe(false);
  expect(await writes(api, `${PODS}/p?gracePeriodSeconds=60`)).toBe(false);
  expect((await api.send('GET', `${PODS}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(20);

  expect(await writes(api, `${PODS}/p?gracePeriodSeconds=5`)).toBe(true);
  expect((await api.send('GET', `${PODS}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(5);
});
