import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Authorizer } from '../../src/apiserver/index.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster, type TestCluster } from '../support/test-cluster.ts';

/** The service account `robot` may act as ada, and do nothing else. */
const robotMayBeAda: Authorizer = {
  authorize: ({ user, info }) =>
    user.name === 'system:serviceaccount:default:robot' && info.verb === 'impersonate' && info.name === 'ada'
      ? { verdict: 'allow', reason: '' }
      : { verdict: 'noOpinion', reason: '' },
};

describe('kubectl and who asks', requires('kubectl'), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startTestCluster({ access: { authorizers: [robotMayBeAda] } });
    kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
    await kubectl.output('create', 'serviceaccount', 'robot');
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** kubectl with another user than the administrator. */
  async function kubectlAs(name: string, user: object): Promise<Kubectl> {
    const { server, certificateAuthority } = cluster.plane.access;
    const authority = Buffer.from(certificateAuthority).toString('base64');
    const path = join(cluster.folder, `${name}.kubeconfig`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(path, JSON.stringify(config));
    return new Kubectl(findKubectl() ?? '', path);
  }

  async function whoami(as: Kubectl, ...flags: readonly string[]): Promise<unknown> {
    const review = JSON.parse(await as.output('auth', 'whoami', '-o', 'json', ...flags)) as {
      readonly status: { readonly userInfo: unknown };
    };
    return review.status.userInfo;
  }

  test('auth whoami shows the owner of a certificate', async () => {
    expect(await whoami(kubectl)).toMatchObject({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
  });

  test('create token makes a token that is the service account', async () => {
    const token = (await kubectl.output('create', 'token', 'robot', '--duration=1h')).trim();
    const robot = await kubectlAs('robot', { token });
    expect(await whoami(robot)).toMatchObject({
      username: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    const { stderr } = await robot.run(['get', 'pods']);
    expect(stderr).toContain(
      'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
    );
  });

  test('create token binds a token to a Secret, with whose end it ends', async () => {
    await kubectl.output('create', 'secret', 'generic', 'bound');
    const bound = ['--bound-object-kind=Secret', '--bound-object-name=bound'];
    const robot = await kubectlAs('bound', {
      token: (await kubectl.output('create', 'token', 'robot', ...bound)).trim(),
    });
    expect(await whoami(robot)).toMatchObject({ username: 'system:serviceaccount:default:robot' });
    await kubectl.output('delete', 'secret', 'bound');
    expect((await robot.run(['get', 'pods'])).stderr).toContain('You must be logged in to the server');
  });

  test('--as acts as another user, in groups and with a uid', async () => {
    const flags = ['--as=ada', '--as-group=dev', '--as-group=ops', '--as-uid=7'];
    expect(await whoami(kubectl, ...flags)).toEqual({
      username: 'ada',
      uid: '7',
      groups: ['dev', 'ops', 'system:authenticated'],
    });
    const { stderr } = await kubectl.run(['get', 'nodes', '--as=ada']);
    expect(stderr).toContain('nodes is forbidden: User "ada" cannot list resource "nodes" in API group ""');
  });

  test('--as takes the right to', async () => {
    const robot = await kubectlAs('robot-as', { token: (await kubectl.output('create', 'token', 'robot')).trim() });
    expect(await whoami(robot, '--as=ada')).toMatchObject({ username: 'ada' });
    const { stderr } = await robot.run(['get', '--raw', '/api/v1/nodes', '--as=ada', '--as-group=system:masters']);
    expect(stderr).toContain(
      'User "system:serviceaccount:default:robot" cannot impersonate resource "groups" in API group ""',
    );
  });

  test('a credential plugin brings a token', async () => {
    const token = (await kubectl.output('create', 'token', 'robot')).trim();
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } };
    const plugin = await kubectlAs('plugin', {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
        interactiveMode: 'Never',
      },
    });
    expect(await whoami(plugin)).toMatchObject({ username: 'system:serviceaccount:default:robot' });
  });
});
