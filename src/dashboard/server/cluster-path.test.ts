import { expect, test } from 'vitest';
import { hasSecretValues, readClusterPath, readOnlyRefusal } from './cluster-path.ts';

test.each([
  '/api/v1/secrets',
  '/api/v1/namespaces/a/secrets',
  '/api/v1/namespaces/a/secrets/b',
  '/api/v1/watch/namespaces/a/secrets',
  '/api/v1/namespaces/a/%73ecrets?pretty=true',
  '/%61pi/v1/secrets?watch=1',
])('%s has values of Secrets', (target) => {
  const path = readClusterPath(target);
  expect(hasSecretValues(path)).toBe(true);
  expect(path.path).toMatch(/^\/api\/v1\/(.*\/)?secrets/);
});

test.each(['/api/v1/configmaps', '/apis/example.com/v1/secrets', '/api/v1/namespaces/secrets/pods', '/version'])(
  '%s has none',
  (target) => expect(hasSecretValues(readClusterPath(target))).toBe(false),
);

test.each([
  '/api/v1/namespaces/a/pods/../secrets',
  '/api/v1/namespaces/a/pods/%2e%2e/secrets',
  '/api/v1/namespaces/a%2fsecrets',
  '/api/v1/namespaces/a%5csecrets',
  '/api/v1//secrets',
  '/api/v1/secrets%0d%0aX: y',
  '/api/v1/%',
  `/api/v1/${'a'.repeat(9000)}`,
])('%s is refused, because it could be read in two ways', (target) => {
  expect(() => readClusterPath(target)).toThrow('Cannot pass on this path');
});

test('paths for programs in the cluster keep what follows', () => {
  const { path, subresource, name } = readClusterPath('/api/v1/namespaces/a/services/https:web:/proxy/a//b/?q=1');
  expect({ path, subresource, name }).toEqual({
    path: '/api/v1/namespaces/a/services/https%3Aweb%3A/proxy/a//b/?q=1',
    subresource: 'proxy',
    name: 'https:web:',
  });
});

test.each([
  ['POST', '/api/v1/namespaces/a/pods'],
  ['PUT', '/api/v1/namespaces/a/pods/b'],
  ['PATCH', '/api/v1/namespaces/a/pods/b/status'],
  ['DELETE', '/api/v1/namespaces/a/pods'],
  ['POST', '/api/v1/namespaces/a/pods/b/eviction'],
  ['GET', '/api/v1/namespaces/a/pods/b/exec?command=sh'],
  ['GET', '/api/v1/namespaces/a/pods/b/attach'],
  ['GET', '/api/v1/namespaces/a/pods/b/portforward'],
  ['GET', '/api/v1/namespaces/a/pods/b/proxy/delete-all'],
  ['GET', '/api/v1/namespaces/a/services/b/proxy/'],
  ['GET', '/api/v1/nodes/n/proxy/run'],
  ['GET', '/api/v1/proxy/namespaces/a/pods/b/'],
  ['POST', '/api/v1/namespaces/a/serviceaccounts/b/token'],
])('a dashboard that only shows refuses %s %s', (method, target) => {
  expect(readOnlyRefusal(method, readClusterPath(target))).toBeDefined();
});

test.each([
  ['GET', '/api/v1/namespaces/a/pods/b/log?follow=true'],
  ['GET', '/api/v1/pods?watch=1'],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
])('it passes on %s %s', (method, target) => {
  expect(readOnlyRefusal(method, readClusterPath(target))).toBeUndefined();
});
