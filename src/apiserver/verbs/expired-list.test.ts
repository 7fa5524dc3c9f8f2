// Lists whose snapshot was compacted while a client paged through them.
import { expect, test } from 'vitest';
import type { ApiObject } from '../../api/index.ts';
import { TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Page {
  readonly names: readonly (string | undefined)[];
  readonly next: string;
  readonly resourceVersion: string;
}

async function page(api: TestApi, token = ''): Promise<Page> {
  const { code, body } = await api.send('GET', `${MAPS}?limit=2${token === '' ? '' : `&continue=${token}`}`);
  expect(code).toBe(200);
  const { continue: next = '', resourceVersion = '' } = body.metadata as { continue?: string; resourceVersion: string };
  return { names: (body['items'] as ApiObject[]).map(({ metadata }) => metadata.name), next, resourceVersion };
}

test('the token of a 410 continues after the last page, with the newest state', async () => {
  await using api = await TestApi.open();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await api.send('POST', MAPS, { metadata: { name } });
  const first = await page(api);
  expect(first.names).toEqual(['a', 'b']);
  await api.send('DELETE', `${MAPS}/c`);
  await api.send('POST', MAPS, { metadata: { name: 'aa' } });
  await api.send('POST', MAPS, { metadata: { name: 'bb' } });
  await api.store.compact(await api.store.revision());

  const expired = await api.send('GET', `${MAPS}?limit=2&continue=${first.next}`);
  expect(expired.code).toBe(410);
  expect(expired.body.reason).toBe('Expired');
  const { continue: token = '' } = expired.body.metadata as { continue?: string };

  const second = await page(api, token);
  expect(second.names).toEqual(['bb', 'd']);
  expect(Number(second.resourceVersion)).toBe(await api.store.revision());
  const third = await page(api, second.next); // consistent with the second
  expect(third).toEqual({ names: ['e', 'f'], next: '', resourceVersion: second.resourceVersion });
});

test('a list at a version that is too old gets no token: there is nothing to continue', async () => {
  await using api = await TestApi.open();
  for (const name of ['a', 'b', 'c']) await api.send('POST', MAPS, { metadata: { name } });
  const { resourceVersion } = await page(api);
  await api.send('POST', MAPS, { metadata: { name: 'd' } });
  await api.store.compact(await api.store.revision());

  const query = `limit=2&resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`;
  const { code, body } = await api.send('GET', `${MAPS}?${query}`);

  expect([code, body.reason]).toEqual([410, 'Expired']);
  expect(body.metadata).not.toHaveProperty('continue');
});
