import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../testing/test-api.ts';

const PODS = '/api/v1/namespaces/going/pods';
const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'web' }] } };

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.open();
  await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'going' } });
  await api.send('POST', PODS, pod);
  await api.send('DELETE', '/api/v1/namespaces/going');
});

afterAll(() => api[Symbol.asyncDispose]());

describe('in a namespace that is being deleted', () => {
  test.each([
    ['a pod', 'pods "new" is forbidden', PODS, { ...pod, metadata: { name: 'new' } }],
    [
      'a Binding',
      'pods "web" is forbidden',
      `${PODS}/web/binding`,
      { metadata: { name: 'web' }, target: { name: 'n' } },
    ],
    ['an Eviction', 'pods "web" is forbidden', `${PODS}/web/eviction`, { metadata: { name: 'web' } }],
  ])('%s is not created', async (_, refused, path, body) => {
    const reply = await api.send('POST', path, body);
    const why = 'unable to create new content in namespace going because it is being terminated';
    expect(reply.code).toBe(403);
    expect(reply.body.message).toBe(`${refused}: ${why}`);
    expect(reply.body.details?.causes).toEqual([
      { reason: 'NamespaceTerminating', message: 'namespace going is being terminated', field: 'metadata.namespace' },
    ]);
  });

  test('existing objects can be changed and deleted', async () => {
    const { code } = await api.send('PUT', `${PODS}/web`, { ...pod, metadata: { name: 'web', labels: { a: 'b' } } });
    expect(code).toBe(200);
    expect((await api.send('DELETE', `${PODS}/web`)).code).toBe(200);
  });
});

test('nothing is written into a namespace that does not exist', async () => {
  const reply = await api.send('POST', '/api/v1/namespaces/nowhere/pods', pod);
  expect(reply.code).toBe(404);
  expect(reply.body.message).toBe('namespaces "nowhere" not found');
});

test('an access review does not reveal whether its namespace exists', async () => {
  const spec = { user: 'me', resourceAttributes: { namespace: 'nowhere', verb: 'get', resource: 'pods' } };
  const path = '/apis/authorization.k8s.io/v1/namespaces/nowhere/localsubjectaccessreviews';
  expect((await api.send('POST', path, { metadata: { namespace: 'nowhere' }, spec })).code).toBe(501); // no authorizer here
});

test('the namespaces that every cluster needs cannot be deleted', async () => {
  const reply = await api.send('DELETE', '/api/v1/namespaces/default');
  expect(reply.code).toBe(403);
  expect(reply.body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
});
