import { afterEach, describe, expect, test } from 'vitest';
import { type AccessRequest, type Authorizer, NO_OPINION } from '../../apiserver/index.ts';
import { MetricRegistry, VirtualClock } from '../../base/index.ts';
import { TestPlane } from '../testing/test-plane.ts';
import { ImpersonationMetrics } from './impersonation-metrics.ts';

/** Allows what is listed as `verb group/resource[/subresource] [namespace/]name`; records what it was asked. */
class ListAuthorizer implements Authorizer {
  readonly asked: string[] = [];
  readonly users: AccessRequest['user'][] = [];
  readonly #allowed: ReadonlySet<string>;

  constructor(...allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  authorize({ user, info }: AccessRequest): ReturnType<Authorizer['authorize']> {
    const { verb, group, resource, subresource, namespace, name, isResource, path } = info;
    const place = `${group}/${resource}${subresource === '' ? '' : `/${subresource}`}`;
    const question = isResource
      ? `${verb} ${place} ${namespace === '' ? '' : `${namespace}/`}${name}`
      : `${verb} ${path}`;
    this.asked.push(question);
    this.users.push(user);
    return this.#allowed.has(question) ? { verdict: 'allow', reason: '' } : NO_OPINION;
  }
}

const REVIEW = 'authentication.k8s.io/selfsubjectreviews';
const joe = { commonName: 'joe', organizations: [] };
let plane: TestPlane | undefined;
afterEach(() => plane?.[Symbol.asyncDispose]());

async function whoami(authorizer: Authorizer, headers: Readonly<Record<string, string | string[]>>): Promise<unknown> {
  plane = await TestPlane.start({ access: { authorizers: [authorizer] } });
  return plane.whoami({ certificate: joe, headers });
}

describe('impersonation by the plain verb', () => {
  test('needs the right to each of name, uid, groups and extra values', async () => {
    const authorizer = new ListAuthorizer(
      'impersonate /users ada',
      'impersonate authentication.k8s.io/uids 7',
      'impersonate /groups dev',
      'impersonate /groups ops',
      'impersonate authentication.k8s.io/userextras/acme.com/scopes view',
    );
    const user = await whoami(authorizer, {
      'Impersonate-User': 'ada',
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['dev', 'ops'],
      'Impersonate-Extra-Acme.com%2fScopes': 'view',
    });
    expect(user).toEqual({
      username: 'ada',
      uid: '7',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'acme.com/scopes': ['view'] },
    });
    expect(authorizer.asked.slice(0, 6)).toEqual([
      `impersonate-on:user-info:create ${REVIEW} `,
      'impersonate /users ada',
      'impersonate authentication.k8s.io/uids 7',
      'impersonate /groups dev',
      'impersonate /groups ops',
      'impersonate authentication.k8s.io/userextras/acme.com/scopes view',
    ]);
  });

  test('gives a service account its groups, unless the request names groups', async () => {
    const allowed = ['impersonate /serviceaccounts ns/robot', 'impersonate /groups g'];
    const name = 'system:serviceaccount:ns:robot';
    expect(await whoami(new ListAuthorizer(...allowed), { 'Impersonate-User': name })).toEqual({
      username: name,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    });
    const headers = { 'Impersonate-User': name, 'Impersonate-Group': 'g' };
    expect(await plane?.whoami({ certificate: joe, headers })).toEqual({
      username: name,
      groups: ['g', 'system:authenticated'],
    });
  });

  test('of the anonymous user or of system:unauthenticated does not add system:authenticated', async () => {
    const authorizer = new ListAuthorizer(
      'impersonate /users system:anonymous',
      'impersonate /users ada',
      'impersonate /groups system:unauthenticated',
      `create ${REVIEW} `,
    );
    expect(await whoami(authorizer, { 'Impersonate-User': 'system:anonymous' })).toEqual({
      username: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
    const headers = { 'Impersonate-User': 'ada', 'Impersonate-Group': 'system:unauthenticated' };
    expect(await plane?.whoami({ certificate: joe, headers })).toEqual({
      username: 'ada',
      groups: ['system:unauthenticated'],
    });
  });
});

describe('constrained impersonation', () => {
  const on = (mode: string): string => `impersonate-on:${mode}:create ${REVIEW} `;

  test('of users needs both rights', async () => {
    const both = ['impersonate:user-info authentication.k8s.io/users ada', on('user-info')];
    expect(await whoami(new ListAuthorizer(...both), { 'Impersonate-User': 'ada' })).toMatchObject({ username: 'ada' });
    for (const right of both) {
      await plane?.[Symbol.asyncDispose]();
      expect(await whoami(new ListAuthorizer(right), { 'Impersonate-User': 'ada' })).toMatchObject({ code: 403 });
    }
  });

  test('never grants system:masters, and checks many groups with one question', async () => {
    const authorizer = new ListAuthorizer(
      on('user-info'),
      'impersonate:user-info authentication.k8s.io/users ada',
      'impersonate:user-info authentication.k8s.io/groups *',
    );
    const groups = ['a', 'b', 'c', 'd'];
    const headers = { 'Impersonate-User': 'ada', 'Impersonate-Group': groups };
    expect(await whoami(authorizer, headers)).toMatchObject({ groups: [...groups, 'system:authenticated'] });
    const masters = { ...headers, 'Impersonate-Group': [...groups, 'system:masters'] };
    expect(await plane?.whoami({ certificate: joe, headers: masters })).toMatchObject({
      code: 403,
      message:
        'groups.authentication.k8s.io "system:masters" is forbidden: User "joe" cannot impersonate:user-info resource "groups" ' +
        'in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    });
  });

  test.each([
    ['scopes', 'view', 'extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")'],
    ['acme.io%2fx', '', 'impersonating the empty string value in extra is not allowed'],
  ])('takes no extra "%s" of "%s"', async (key, value, why) => {
    const authorizer = new ListAuthorizer(on('user-info'), 'impersonate:user-info authentication.k8s.io/users ada');
    const headers = { 'Impersonate-User': 'ada', [`Impersonate-Extra-${key}`]: value };
    expect(await whoami(authorizer, headers)).toMatchObject({ message: expect.stringContaining(why) });
  });

  test('of a node adds the group of nodes', async () => {
    const rights = [on('arbitrary-node'), 'impersonate:arbitrary-node authentication.k8s.io/nodes n1'];
    expect(await whoami(new ListAuthorizer(...rights), { 'Impersonate-User': 'system:node:n1' })).toEqual({
      username: 'system:node:n1',
      groups: ['system:nodes', 'system:authenticated'],
    });
  });

  test('of its own node is a separate right of a pod, which authorizers check without the node’s name', async () => {
    const authorizer = new ListAuthorizer(
      on('associated-node'),
      'impersonate:associated-node authentication.k8s.io/nodes *',
    );
    plane = await TestPlane.start({ access: { authorizers: [authorizer] } });
    const metadata = { name: 'robot' };
    await plane.admin('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata });
    const spec = { serviceAccountName: 'robot', nodeName: 'n1', containers: [{ name: 'a', image: 'x' }] };
    await plane.admin('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
    const { body } = await plane.admin('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
      spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } },
    });
    const authorization = `Bearer ${(body['status'] as { readonly token: string }).token}`;
    authorizer.users.length = 0;
    const as = (name: string): Promise<unknown> | undefined =>
      plane?.whoami({ headers: { authorization, 'Impersonate-User': name } });
    expect(await as('system:node:n1')).toMatchObject({ username: 'system:node:n1' });
    expect(authorizer.users[0]?.extra).toEqual({
      'authentication.kubernetes.io/associated-node-keys': [
        'authentication.kubernetes.io/credential-id',
        'authentication.kubernetes.io/node-name',
        'authentication.kubernetes.io/pod-name',
        'authentication.kubernetes.io/pod-uid',
      ],
    });
    expect(await as('system:node:n2')).toMatchObject({ code: 403 });
  });

  test('tries the mode that worked last first', async () => {
    const authorizer = new ListAuthorizer('impersonate /users ada');
    await whoami(authorizer, { 'Impersonate-User': 'ada' });
    authorizer.asked.length = 0;
    await plane?.whoami({ certificate: joe, headers: { 'Impersonate-User': 'ada' } });
    expect(authorizer.asked[0]).toBe('impersonate /users ada');
    expect(await plane?.whoami({ certificate: joe, headers: { 'Impersonate-User': 'bob' } })).toMatchObject({
      message:
        'users "bob" is forbidden: User "joe" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
  });
});

describe('a refusal', () => {
  test('says which right the strictest mode would need', async () => {
    expect(await whoami(new ListAuthorizer(), { 'Impersonate-User': 'ada' })).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'selfsubjectreviews.authentication.k8s.io is forbidden: User "joe" cannot impersonate-on:user-info:create resource ' +
        '"selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
      details: { group: 'authentication.k8s.io', kind: 'selfsubjectreviews' },
    });
  });

  test('is quick when thousands of groups are named', async () => {
    const authorizer = new ListAuthorizer();
    const groups = Array.from({ length: 3000 }, (_, index) => `g${index}`);
    const refused = await whoami(authorizer, { 'Impersonate-User': 'ada', 'Impersonate-Group': groups });
    expect(refused).toMatchObject({ code: 400 });
    expect(authorizer.asked).toEqual([]);
  });

  test.each([
    [{ 'Impersonate-Group': 'g' }, 'Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)'],
    [{ 'Impersonate-Uid': '1' }, 'Name:"", UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [
      { 'Impersonate-Extra-A': ['b', 'c'] },
      'Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b", "c"}}',
    ],
  ])('of %o without a name says so', async (headers, described) => {
    expect(await whoami(new ListAuthorizer(), headers)).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `requested &user.DefaultInfo{${described}} without impersonating a user name`,
    });
  });
});

test('system:masters can impersonate a user with fewer rights, and the call has the original user', async () => {
  plane = await TestPlane.start();
  const headers = { 'Impersonate-User': 'ada', 'Impersonate-Group': 'dev' };
  expect(await plane.admin('GET', '/api/v1/namespaces/default/pods/x', undefined, headers)).toMatchObject({
    code: 403,
    body: {
      message:
        'pods "x" is forbidden: User "ada" cannot get resource "pods" in API group "" in the namespace "default"',
    },
  });
});

test('counts attempts and authorization checks by mode', async () => {
  const registry = new MetricRegistry();
  const metrics = new ImpersonationMetrics(registry, new VirtualClock());
  metrics.attempted('', 0);
  metrics.attempted('impersonate:user-info', 0);
  metrics.attempted(undefined, 0);
  metrics.checked('impersonate-on:arbitrary-node:get', false, 0);
  const text = registry.expose();
  expect(text).toContain('apiserver_impersonation_attempts_total{decision="allowed",mode="legacy"} 1');
  expect(text).toContain('apiserver_impersonation_attempts_total{decision="allowed",mode="user-info"} 1');
  expect(text).toContain('apiserver_impersonation_attempts_total{decision="denied",mode=""} 1');
  expect(text).toContain(
    'apiserver_impersonation_authorization_attempts_total{decision="denied",mode="arbitrary-node"} 1',
  );
});
