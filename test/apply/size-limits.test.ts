import { expect, test } from 'vitest';
import { TestServer } from '../vectors/apply/test-server.ts';

const MAPS = '/api/v1/namespaces/ns/configmaps';
/** Fits into what the store takes, but not together with the names of all its keys as owned fields. */
const large = Object.fromEntries(
  Array.from({ length: 14_000 }, (_, index) => [`${'k'.repeat(40)}${index}`, 'v'.repeat(10)]),
);

test('an object that is too large with its owners is stored without them, unless it is applied', async () => {
  await using server = new TestServer();
  const created = await server.send('POST', MAPS, { body: { metadata: { name: 'x' }, data: large } });
  expect(created.code).toBe(201);
  expect(created.body['metadata']).not.toHaveProperty('managedFields');
  const updated = await server.send('PUT', `${MAPS}/x`, {
    body: { metadata: { name: 'x' }, data: { ...large, more: '1' } },
  });
  expect(updated.code).toBe(200);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'y' }, data: large };
  const applied = await server.send('PATCH', `${MAPS}/y?fieldManager=m`, {
    body,
    type: 'application/apply-patch+yaml',
  });
  expect([applied.code, applied.body['reason']]).toEqual([413, 'RequestEntityTooLarge']);
});
