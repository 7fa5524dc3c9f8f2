import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster, type TestCluster } from '../support/test-cluster.ts';

const ROLES = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: dev}
`;

describe('kubectl auth', requires('kubectl'), () => {
  let cluster: TestCluster;
  let admin: Kubectl;
  let dev: Kubectl;
  beforeAll(async () => {
    cluster = await startTestCluster({ access: { tokenFile: 'dev-token,dev,1,"devs"\n' } });
    admin = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
    const kubeconfig = join(cluster.folder, 'dev');
    const cluster1 = { server: cluster.plane.access.server, 'insecure-skip-tls-verify': true };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: cluster1 }],
        users: [{ name: 'dev', user: { token: 'dev-token' } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'dev' } }],
        'current-context': 'c',
      }),
      { mode: 0o600 },
    );
    dev = new Kubectl(findKubectl() ?? '', kubeconfig);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('reconcile makes roles and bindings, and adds what they lack', async () => {
    const first = await admin.run(['auth', 'reconcile', '-f', '-'], ROLES);
    expect(first.stdout).toBe(
      'role.rbac.authorization.k8s.io/reader reconciled\nrolebinding.rbac.authorization.k8s.io/reader reconciled\n',
    );
    const wider = ROLES.replace('[get, list]', '[get, list, watch]');
    await admin.run(['auth', 'reconcile', '-f', '-'], wider);
    const verbs = ['get', 'role', 'reader', '-o', 'jsonpath={.rules[*].verbs[*]}'];
    expect(await admin.output(...verbs)).toBe('get list watch');
    await admin.run(['auth', 'reconcile', '-f', '-'], ROLES);
    expect(await admin.output(...verbs)).toBe('get list watch');
  });

  test('can-i answers by the roles', async () => {
    expect((await dev.run(['auth', 'can-i', 'list', 'pods'])).stdout).toBe('yes\n');
    const refused = await dev.run(['auth', 'can-i', 'delete', 'pods']);
    expect([refused.code, refused.stdout]).toEqual([1, 'no\n']);
    expect((await dev.run(['auth', 'can-i', 'list', 'pods', '-n', 'kube-system'])).stdout).toBe('no\n');
    expect((await dev.run(['auth', 'can-i', 'get', '/version'])).stdout).toBe('yes\n');
    expect((await admin.run(['auth', 'can-i', '*', '*'])).stdout).toBe('yes\n');
  });

  test('can-i --list shows all that the user may do', async () => {
    const { stdout } = await dev.run(['auth', 'can-i', '--list']);
    const rows = stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | ').trimEnd());
    expect(rows[0]).toBe('Resources | Non-Resource URLs | Resource Names | Verbs');
    expect(rows).toContain('selfsubjectreviews.authentication.k8s.io | [] | [] | [create]');
    expect(rows.find((row) => row.startsWith('pods'))).toBe('pods | [] | [] | [get list watch]');
    expect(rows.some((row) => row.includes('[/healthz]'))).toBe(true);
  });

  test('refusals are shown as kube-apiserver words them', async () => {
    const { code, stderr } = await dev.run(['get', 'secrets']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "dev" cannot list resource "secrets" in API group "" ' +
        'in the namespace "default"\n',
    );
  });

  test('create role and rolebinding grant what they say', async () => {
    await admin.output('create', 'clusterrole', 'nodes', '--verb=list', '--resource=nodes');
    await admin.output('create', 'clusterrolebinding', 'nodes', '--clusterrole=nodes', '--group=devs');
    expect((await dev.run(['get', 'nodes'])).stderr).toBe('No resources found\n');
    const described = await admin.output('describe', 'clusterrole', 'nodes');
    expect(described).toMatch(/nodes\s+\[\]\s+\[\]\s+\[list\]/);
    const { stderr } = await dev.run(['create', 'rolebinding', 'x', '--clusterrole=cluster-admin', '--user=dev']);
    expect(stderr).toContain('cannot create resource "rolebindings"');
  });
});
