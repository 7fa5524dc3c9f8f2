import { expect, test } from 'vitest';
import { shortUser } from './short-user.ts';

test.each([
  ['system:serviceaccount:kube-system:deployment-controller', 'deployment-controller'],
  ['system:serviceaccount:shop:builder', 'shop/builder'],
  ['system:node:n1', 'node n1'],
  ['system:kube-scheduler', 'kube-scheduler'],
  ['joe', 'joe'],
  ['', ''],
])('%s is shown as %s', (user, shown) => {
  expect(shortUser(user)).toBe(shown);
});
