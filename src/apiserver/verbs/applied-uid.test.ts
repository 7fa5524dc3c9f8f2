// An applied configuration with a uid is about an object that exists, which is found before its name is compared with the path's.
import { expect, test } from 'vitest';
import { TestApi } from '../../resources/testing/test-api.ts';

test('a configuration with a uid creates nothing, whatever its name', async () => {
  await using api = await TestApi.open();
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', uid: 'u' } };
  const path = '/api/v1/namespaces/default/configmaps/a?fieldManager=me';
  const refused = await api.send('PATCH', path, config, 'application/apply-patch+yaml');
  expect(refused).toMatchObject({
    code: 409,
    body: {
      message:
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
    },
  });
});
