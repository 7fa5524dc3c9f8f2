import { expect, test } from 'vitest';
import { resourcePath } from './resource-path.ts';

test.each([
  ['/api/v1/namespaces/default/pods/a', { resource: 'pods', key: 'default/a', subresource: '' }],
  ['/api/v1/namespaces/default/pods?limit=5', { resource: 'pods', key: 'default', subresource: '' }],
  ['/api/v1/namespaces/default', { resource: 'namespaces', key: 'default', subresource: '' }],
  ['/apis/apps/v1/namespaces/b/deployments/c/status', { resource: 'deployments', key: 'b/c', subresource: 'status' }],
  ['/apis/example.com/v1/zones/z', { resource: 'zones', key: 'z', subresource: '' }],
  ['/healthz', undefined],
])('%s', (path, expected) => {
  expect(resourcePath(path)).toEqual(expected);
});
