import { describe, expect, test } from 'vitest';
import { type AccessServer, startAccessServer } from '../testing/access-server.ts';

const ROOT = '/apis/rbac.authorization.k8s.io/v1';
const DEV = { name: 'dev', groups: ['devs'] };
const POD_READER = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

/** A server on which `dev` may write roles and bindings and get pods; `more` adds objects. */
async function start(...more: readonly object[]): Promise<AccessServer> {
  const server = await startAccessServer();
  const resources = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];
  const verbs = ['create', 'update', 'patch', 'get', 'delete'];
  const maker = { verbs, apiGroups: ['rbac.authorization.k8s.io'], resources };
  await server.create('clusterroles', { metadata: { name: 'maker' }, rules: [maker, POD_READER, ...more] });
  await server.bind('clusterrolebindings', 'maker', { role: 'ClusterRole maker', subjects: ['User dev'] });
  return server;
}

const role = (name: string, ...rules: readonly object[]): object => ({ metadata: { name }, rules });
const binding = (name: string, ref: string): object => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ref },
});
const SECRETS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'] };

const REFUSED =
  'user "dev" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n';

describe('a role', () => {
  test('may grant only permissions that its writer has', async () => {
    await using server = await start();
    const path = `POST ${ROOT}/namespaces/default/roles`;
    expect(await server.send(DEV, path, role('ok', POD_READER))).toMatchObject({ kind: 'Role' });
    expect(await server.send(DEV, path, role('x', SECRETS))).toContain(
      `roles.rbac.authorization.k8s.io "x" is forbidden: ${REFUSED}` +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    );
    expect(
      await server.send(DEV, `POST ${ROOT}/clusterroles`, role('y', { verbs: ['get'], nonResourceURLs: ['/x'] })),
    ).toContain(`${REFUSED}{NonResourceURLs:["/x"], Verbs:["get"]}`);
  });

  test('may not be changed by a user who lacks a permission that it grants, whatever is changed', async () => {
    await using server = await start();
    await server.create('clusterroles', { metadata: { name: 'strong' }, rules: [SECRETS] });
    const path = `${ROOT}/clusterroles/strong`;
    const labels = { metadata: { labels: { a: 'b' } } };
    expect(await server.send(DEV, `PATCH ${path}`, labels)).toContain(REFUSED);
    expect(await server.send(DEV, `PUT ${ROOT}/clusterroles/new`, role('new', SECRETS))).toContain(REFUSED);
    const finalizers = { metadata: { finalizers: ['example.com/x'] } };
    expect(await server.send(DEV, `PATCH ${path}`, finalizers)).toMatchObject({ kind: 'ClusterRole' });
  });

  test('may grant anything when its writer may escalate', async () => {
    await using server = await start({ verbs: ['escalate'], apiGroups: ['*'], resources: ['clusterroles'] });
    expect(await server.send(DEV, `POST ${ROOT}/clusterroles`, role('x', SECRETS))).toMatchObject({
      kind: 'ClusterRole',
    });
    expect(await server.send(DEV, `POST ${ROOT}/namespaces/default/roles`, role('x', SECRETS))).toContain(REFUSED);
  });

  test('may aggregate others when its writer may do everything', async () => {
    await using server = await start();
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const aggregated = { metadata: { name: 'x' }, aggregationRule };
    expect(await server.send(DEV, `POST ${ROOT}/clusterroles`, aggregated)).toContain(
      'clusterroles.rbac.authorization.k8s.io "x" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    await server.bind('clusterrolebindings', 'admin', { role: 'ClusterRole cluster-admin', subjects: ['User dev'] });
    expect(await server.send(DEV, `POST ${ROOT}/clusterroles`, aggregated)).toMatchObject({ kind: 'ClusterRole' });
  });
});

describe('a binding', () => {
  test('may refer to roles whose permissions its writer has, and to roles that the writer may bind', async () => {
    await using server = await start({
      verbs: ['bind'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: ['view'],
    });
    await server.create('clusterroles', { metadata: { name: 'pods' }, rules: [POD_READER] });
    const path = `POST ${ROOT}/clusterrolebindings`;
    expect(await server.send(DEV, path, binding('a', 'pods'))).toMatchObject({ kind: 'ClusterRoleBinding' });
    expect(await server.send(DEV, path, binding('b', 'view'))).toMatchObject({ kind: 'ClusterRoleBinding' });
    expect(await server.send(DEV, path, binding('c', 'cluster-admin'))).toContain(
      `clusterrolebindings.rbac.authorization.k8s.io "c" is forbidden: ${REFUSED}` +
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    );
    expect(await server.send(DEV, path, binding('d', 'nowhere'))).toContain(
      'clusterrolebindings.rbac.authorization.k8s.io "nowhere" not found',
    );
  });

  test('in a namespace may grant what its writer has in that namespace', async () => {
    await using server = await start();
    await server.create('roles', { metadata: { name: 'r', namespace: 'default' }, rules: [SECRETS] });
    await server.bind('rolebindings', 'r', { namespace: 'default', role: 'Role r', subjects: ['Group devs'] });
    const roles = (namespace: string): string => `POST ${ROOT}/namespaces/${namespace}/roles`;
    expect(await server.send(DEV, roles('default'), role('x', SECRETS))).toMatchObject({ kind: 'Role' });
    expect(await server.send(DEV, roles('kube-system'), role('x', SECRETS))).toContain(REFUSED);
  });
});

test('a short role that stands for a billion permissions is refused quickly, and allowed for a user who has all', async () => {
  await using server = await start();
  const many = (prefix: string): string[] => Array.from({ length: 1000 }, (_, index) => `${prefix}${index}`);
  const bomb = role('bomb', { verbs: many('v'), apiGroups: many('g'), resources: many('r') });
  expect(await server.send(DEV, `POST ${ROOT}/clusterroles`, bomb)).toContain('they are more than 10000 permissions');
  await server.bind('clusterrolebindings', 'admin', { role: 'ClusterRole cluster-admin', subjects: ['User dev'] });
  expect(await server.send(DEV, `POST ${ROOT}/clusterroles`, bomb)).toMatchObject({ kind: 'ClusterRole' });
});

test('system:masters may write any role; for others, the error names roles of theirs that do not exist', async () => {
  await using server = await start();
  await server.bind('clusterrolebindings', 'late', { role: 'ClusterRole late', subjects: ['User dev'] });
  const refused = String(await server.send(DEV, `POST ${ROOT}/clusterroles`, role('x', SECRETS)));
  expect(refused).toContain('; resolution errors: [clusterroles.rbac.authorization.k8s.io "late" not found]');
  const master = { name: 'root', groups: ['system:masters'] };
  expect(await server.send(master, `POST ${ROOT}/clusterroles`, role('x', SECRETS))).toMatchObject({
    kind: 'ClusterRole',
  });
});
