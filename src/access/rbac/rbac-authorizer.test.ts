import { describe, expect, test } from 'vitest';
import { requestInfo, type RequestInfo } from '../../apiserver/index.ts';
import { type AccessServer, startAccessServer } from '../testing/access-server.ts';

const DEV = { name: 'dev', groups: ['devs', 'system:authenticated'] };

function info(method: string, path: string): RequestInfo {
  return requestInfo(method, path, { isWatch: false, nameFromField: '' });
}

/** Whether the user may send such a request, with the reason. */
async function asked(server: AccessServer, user: { name: string; groups: string[] }, request: string): Promise<string> {
  const [method = '', path = ''] = request.split(' ');
  const decision = await server.authorizer.authorize({ user, info: info(method, path), signal: server.signal });
  return [decision.verdict, decision.reason].filter((text) => text !== '').join(': ');
}

describe('rules', () => {
  test('grant verbs on groups’ resources, subresources and names, and nothing else', async () => {
    await using server = await startAccessServer();
    await server.create('clusterroles', {
      metadata: { name: 'r' },
      rules: [
        { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['update'], apiGroups: ['apps', 'batch'], resources: ['*/scale'] },
        { verbs: ['*'], apiGroups: ['x.io'], resources: ['*'] },
        { verbs: ['delete'], apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'] },
        { verbs: ['get'], nonResourceURLs: ['/logs/*', '/debug'] },
      ],
    });
    await server.bind('clusterrolebindings', 'b', { role: 'ClusterRole r', subjects: ['User dev'] });
    const may = async (request: string): Promise<boolean> => (await asked(server, DEV, request)).startsWith('allow');
    for (const request of [
      'GET /api/v1/pods',
      'GET /api/v1/namespaces/n/pods/p',
      'PUT /apis/apps/v1/namespaces/n/deployments/d/scale',
      'PUT /apis/batch/v1/namespaces/n/jobs/j/scale',
      'POST /apis/x.io/v1/things',
      'PATCH /apis/x.io/v1/things/t/status',
      'DELETE /api/v1/namespaces/n/secrets/b',
      'GET /logs/',
      'GET /logs/a/b',
      'GET /debug',
    ]) {
      expect([request, await may(request)]).toEqual([request, true]);
    }
    for (const request of [
      'POST /api/v1/namespaces/n/pods',
      'GET /api/v1/namespaces/n/pods/p/log',
      'GET /apis/apps/v1/pods',
      'PUT /apis/apps/v1/namespaces/n/deployments/d',
      'PUT /apis/policy/v1/namespaces/n/things/d/scale',
      'DELETE /api/v1/namespaces/n/secrets/c',
      'DELETE /api/v1/namespaces/n/secrets',
      'GET /log',
      'HEAD /debug',
      'GET /debug/x',
    ]) {
      expect([request, await may(request)]).toEqual([request, false]);
    }
  });

  test('apply where they are bound: a cluster role in one namespace grants nothing elsewhere', async () => {
    await using server = await startAccessServer();
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    await server.create('clusterroles', { metadata: { name: 'all' }, rules });
    await server.bind('rolebindings', 'b', { namespace: 'default', role: 'ClusterRole all', subjects: ['Group devs'] });
    expect(await asked(server, DEV, 'GET /api/v1/namespaces/default/pods')).toBe(
      'allow: RBAC: allowed by RoleBinding "b/default" of ClusterRole "all" to Group "devs"',
    );
    expect(await asked(server, DEV, 'GET /api/v1/namespaces/kube-system/pods')).toBe('noOpinion');
    expect(await asked(server, DEV, 'GET /api/v1/pods')).toBe('noOpinion');
    expect(await asked(server, DEV, 'GET /api/v1/nodes')).toBe('noOpinion');
  });

  test('name a missing role in the reason, and follow later writes', async () => {
    await using server = await startAccessServer();
    await server.bind('clusterrolebindings', 'b', { role: 'ClusterRole late', subjects: ['User dev'] });
    await server.bind('rolebindings', 'c', { namespace: 'default', role: 'Role late', subjects: ['User dev'] });
    const request = 'GET /api/v1/namespaces/default/pods';
    expect(await asked(server, DEV, request)).toBe(
      'noOpinion: RBAC: [clusterrole.rbac.authorization.k8s.io "late" not found, ' +
        'role.rbac.authorization.k8s.io "late" not found]',
    );
    const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }];
    await server.create('clusterroles', { metadata: { name: 'late' }, rules });
    expect(await asked(server, DEV, request)).toMatch(
      /^allow: .*ClusterRoleBinding "b" of ClusterRole "late" to User "dev"$/,
    );
    await server.delete('clusterrolebindings', 'b');
    expect(await asked(server, DEV, request)).toBe('noOpinion: RBAC: role.rbac.authorization.k8s.io "late" not found');
  });
});

describe('subjects', () => {
  test('are users, groups and service accounts, whose namespace may be the binding’s', async () => {
    await using server = await startAccessServer();
    const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }];
    await server.create('clusterroles', { metadata: { name: 'r' }, rules });
    await server.create('rolebindings', {
      metadata: { name: 'b', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [
        { kind: 'ServiceAccount', name: 'own' },
        { kind: 'ServiceAccount', name: 'other', namespace: 'kube-system' },
      ],
    });
    const account = (namespace: string, name: string): { name: string; groups: string[] } => ({
      name: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts'],
    });
    const request = 'GET /api/v1/namespaces/default/pods';
    const by = 'allow: RBAC: allowed by RoleBinding "b/default" of ClusterRole "r" to ServiceAccount';
    expect(await asked(server, account('default', 'own'), request)).toBe(`${by} "own/default"`);
    expect(await asked(server, account('kube-system', 'other'), request)).toBe(`${by} "other/kube-system"`);
    expect(await asked(server, account('kube-system', 'own'), request)).toBe('noOpinion');
    expect(await asked(server, { name: 'own', groups: [] }, request)).toBe('noOpinion');
  });

  test('of thousands of groups are looked up quickly', async () => {
    await using server = await startAccessServer();
    const groups = Array.from({ length: 10_000 }, (_, index) => `g${index}`);
    await server.create('clusterroles', {
      metadata: { name: 'r' },
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }],
    });
    await server.bind('clusterrolebindings', 'b', { role: 'ClusterRole r', subjects: ['Group g9999'] });
    expect(await asked(server, { name: 'x', groups }, 'GET /api/v1/pods')).toMatch(/^allow/);
  });
});

test('all users have the permissions of the default roles', async () => {
  await using server = await startAccessServer();
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  const may = async (user: typeof anonymous, request: string): Promise<string> =>
    (await asked(server, user, request)).replace(/ of .*/, '');
  for (const path of ['/healthz', '/livez', '/readyz', '/version', '/version/']) {
    expect(await may(anonymous, `GET ${path}`)).toBe(
      'allow: RBAC: allowed by ClusterRoleBinding "system:public-info-viewer"',
    );
  }
  for (const path of ['/api', '/apis/apps', '/openapi/v2', '/metrics', '/livez/ping', '/api/v1/pods']) {
    expect(await may(anonymous, `GET ${path}`)).toBe('noOpinion');
  }
  expect(await may(DEV, 'GET /apis/apps')).toBe('allow: RBAC: allowed by ClusterRoleBinding "system:discovery"');
  expect(await may(DEV, 'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews')).toMatch(/system:basic-user/);
  expect(await may(DEV, 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews')).toBe('noOpinion');
});
