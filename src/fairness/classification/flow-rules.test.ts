import { expect, test } from 'vitest';
import { requestInfo } from '../../apiserver/index.ts';
import type { PolicyRulesWithSubjects } from '../../api/types/flowcontrol/v1.d.ts';
import { compileFlowRules } from './flow-rules.ts';

const HINTS = { isWatch: false, nameFromField: '' };
const ALL = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };

function isMeant(rule: Partial<PolicyRulesWithSubjects>, method: string, path: string, user = 'u'): boolean {
  const subjects = [{ kind: 'User', user: { name: '*' } }];
  const test = compileFlowRules([{ subjects, ...rule }]);
  return test(requestInfo(method, path, HINTS), { name: user, groups: ['g', 'h'] });
}

test('subjects are users, groups and service accounts, all of them or by name', () => {
  const of = (subject: PolicyRulesWithSubjects['subjects'][number], user?: string): boolean =>
    isMeant({ subjects: [subject], resourceRules: [ALL] }, 'GET', '/api/v1/nodes', user);
  expect(of({ kind: 'User', user: { name: 'u' } })).toBe(true);
  expect(of({ kind: 'User', user: { name: 'v' } })).toBe(false);
  expect(of({ kind: 'Group', group: { name: 'h' } })).toBe(true);
  expect(of({ kind: 'Group', group: { name: 'i' } })).toBe(false);
  expect(of({ kind: 'Group', group: { name: '*' } })).toBe(true);
  const account = { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } };
  expect(of(account, 'system:serviceaccount:n:a')).toBe(true);
  expect(of(account, 'system:serviceaccount:n:b')).toBe(false);
  const all = { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } };
  expect(of(all, 'system:serviceaccount:n:b')).toBe(true);
  expect(of(all, 'system:serviceaccount:nn:b')).toBe(false);
});

test('resource rules look at verb, group, resource with its subresource, and namespace', () => {
  const rule = {
    verbs: ['get'],
    apiGroups: ['apps'],
    resources: ['deployments', 'deployments/status'],
    namespaces: ['a'],
  };
  const of = (method: string, path: string, change: object = {}): boolean =>
    isMeant({ resourceRules: [{ ...rule, ...change }] }, method, path);
  expect(of('GET', '/apis/apps/v1/namespaces/a/deployments/d')).toBe(true);
  expect(of('PUT', '/apis/apps/v1/namespaces/a/deployments/d')).toBe(false);
  expect(of('GET', '/apis/apps/v1/namespaces/b/deployments/d')).toBe(false);
  expect(of('GET', '/apis/batch/v1/namespaces/a/deployments/d')).toBe(false);
  expect(of('GET', '/apis/apps/v1/namespaces/a/deployments/d/status')).toBe(true);
  expect(of('GET', '/apis/apps/v1/namespaces/a/deployments/d/scale')).toBe(false);
  expect(of('GET', '/apis/apps/v1/deployments', { verbs: ['list'], namespaces: ['*'] })).toBe(false);
  expect(of('GET', '/apis/apps/v1/deployments', { verbs: ['list'], clusterScope: true })).toBe(true);
  expect(of('GET', '/healthz', ALL)).toBe(false);
});

test('paths match themselves and everything below them', () => {
  const of = (path: string, ...nonResourceURLs: string[]): boolean =>
    isMeant({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] }, 'GET', path);
  expect(of('/healthz', '/healthz')).toBe(true);
  expect(of('/healthz/ping', '/healthz')).toBe(true);
  expect(of('/healthzz', '/healthz')).toBe(false);
  expect(of('/openid/v1/jwks', '/openid/*')).toBe(true);
  expect(of('/anything', '*')).toBe(true);
  expect(of('/api/v1/nodes', '*')).toBe(false);
});
