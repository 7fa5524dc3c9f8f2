import { expect, test } from 'vitest';
import { operationNames } from './operation-id.ts';

test.each([
  ['/api/v1', 'readCoreV1Pod', 'core_v1'],
  ['/apis/apps/v1', 'readAppsV1Pod', 'apps_v1'],
  ['/apis/rbac.authorization.k8s.io/v1', 'readRbacAuthorizationV1Pod', 'rbacAuthorization_v1'],
  ['/apis/openapi-check.example.com/v1beta1', 'readOpenapiCheckExampleComV1beta1Pod', 'openapiCheckExampleCom_v1beta1'],
  ['/apis/apps/', 'readAppsPod', 'apps'],
  ['/apis/', 'readPod', 'apis'],
  ['/version/', 'readPod', 'version'],
])('operations below %s are called %s and filed under %s', (path, id, tag) => {
  const names = operationNames(path);
  expect([names.id('read', 'Pod'), names.tag]).toEqual([id, tag]);
});
