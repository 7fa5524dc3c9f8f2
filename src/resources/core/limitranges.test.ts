import { expect, test } from 'vitest';
import { TestApi } from '../testing/test-api.ts';

const LIMIT_RANGES = '/api/v1/namespaces/default/limitranges';

test.each([{}, { name: '' }])('a LimitRange with the metadata %j is named by a uid', async (metadata) => {
  await using api = await TestApi.open();
  const { code, body } = await api.send('POST', LIMIT_RANGES, { metadata, spec: { limits: [] } });
  expect(code).toBe(201);
  expect(body.metadata.name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
