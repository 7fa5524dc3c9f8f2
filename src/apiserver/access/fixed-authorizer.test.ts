// Verb by path by group: what a cluster without roles grants, as upstream's default bindings do (issue 12, F).
import { describe, expect, test } from 'vitest';
import { requestInfo } from '../request/request-info.ts';
import { firstOpinion } from './authorizer.ts';
import { fixedAuthorizer, mastersAuthorizer } from './authorizer.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const USERS: Readonly<Record<string, readonly string[]>> = {
  anonymous: ['system:unauthenticated'],
  authenticated: ['system:authenticated'],
  other: ['dev', 'system:mastersX', 'System:Masters'],
  none: [],
  master: ['system:masters'],
};

const PUBLIC = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY = [
  '/api',
  '/api/',
  '/api/v1',
  '/apis',
  '/apis/',
  '/apis/apps',
  '/apis/apps/v1',
  '/openapi',
  '/openapi/v2',
  '/openapi/v3/apis/apps/v1',
];
const PRIVATE = [
  '/',
  '/metrics',
  '/metrics/slis',
  '/healthz/etcd',
  '/healthz/',
  '/livez/ping',
  '/readyz/shutdown',
  '/versions',
  '/version/x',
  '/apix',
  '/apisx/apps',
  '/openapiv2',
  '/x/api',
  '/logs',
  '/debug/pprof',
  '/.well-known/openid-configuration',
];
const SELF_REVIEWS = [
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
];
const RESOURCES = [
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/example.com/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews/me/status',
  '/api/v1/selfsubjectreviews',
  '/api/v1/pods',
  '/api/v1/namespaces/default/pods/web',
  '/api/v1/namespaces/default/pods/web/exec',
  '/api/v1/namespaces/default/secrets/healthz',
  '/api/v1/nodes/n1/proxy/healthz',
  '/apis/apps/v1/deployments',
];

/** `METHOD path` of all that the group of users may do. */
function allowed(user: string, paths: readonly string[]): string[] {
  const authorizer = firstOpinion([mastersAuthorizer, fixedAuthorizer]);
  const { signal } = new AbortController();
  return METHODS.flatMap((method) =>
    paths.flatMap((path) => {
      const info = requestInfo(method, path, { isWatch: false, nameFromField: '' });
      const groups = USERS[user] ?? [];
      const { verdict } = authorizer.authorize({ user: { name: user, groups }, info, signal }) as { verdict: string };
      expect(verdict).not.toBe('deny'); // others may still allow it
      return verdict === 'allow' ? [`${method} ${path}`] : [];
    }),
  );
}

const get = (paths: readonly string[]): string[] => paths.map((path) => `GET ${path}`);

describe('without roles', () => {
  const everything = [...PUBLIC, ...DISCOVERY, ...PRIVATE, ...SELF_REVIEWS, ...RESOURCES];

  test.each(['anonymous', 'other', 'none'])('%s may read health and version, and nothing else', (user) => {
    expect(allowed(user, everything)).toEqual(get(PUBLIC));
  });

  test('who is logged in may read discovery besides, and ask about themselves', () => {
    const questions = SELF_REVIEWS.map((path) => `POST ${path}`);
    expect(allowed('authenticated', everything)).toEqual([...get(PUBLIC), ...get(DISCOVERY), ...questions]);
  });

  test('system:masters may do everything', () => {
    expect(allowed('master', everything)).toHaveLength(METHODS.length * everything.length);
  });
});
