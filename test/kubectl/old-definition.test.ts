import { request } from 'node:https';
import { expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const command = findKubectl() ?? '';

const foos = `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: foos.samplecontroller.k8s.io}
spec:
  group: samplecontroller.k8s.io
  version: v1alpha1
  names: {kind: Foo, plural: foos}
  scope: Namespaced
`;

const foo = `
apiVersion: samplecontroller.k8s.io/v1alpha1
kind: Foo
metadata: {name: example-foo}
spec: {deploymentName: example-foo, replicas: 1}
`;

test('a definition of the old form (C3)', requires('kubectl'), async () => {
  await using cluster = await startTestCluster();
  const kubectl = new Kubectl(command, cluster.kubeconfig);
  const created = await kubectl.run(['create', '--validate=false', '-f', '-'], foos);
  expect(created.stdout).toBe('customresourcedefinition.apiextensions.k8s.io/foos.samplecontroller.k8s.io created\n');
  expect(created.stderr).toContain(
    'Warning: apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+',
  );
  await kubectl.output('wait', '--for=condition=Established', 'crd/foos.samplecontroller.k8s.io', '--timeout=120s');
  expect((await kubectl.run(['create', '-f', '-'], foo)).stdout).toBe(
    'foo.samplecontroller.k8s.io/example-foo created\n',
  );
  expect(await kubectl.output('get', 'Foo')).toMatch(/^NAME +AGE\nexample-foo +\d+s\n$/);
  expect(await kubectl.output('get', 'Foo/example-foo')).toMatch(/^NAME +AGE\nexample-foo +\d+s\n$/);
  const described = await kubectl.output('describe', 'Foo');
  expect(described).toMatch(/Spec:\n {2}Deployment Name: +example-foo\n {2}Replicas: +1\nEvents: +<none>/);

  const path = '/apis/samplecontroller.k8s.io/v1alpha1/namespaces/default/foos/example-foo';
  expect(
    await anonymously(cluster.plane.access.server + path, cluster.plane.access.certificateAuthority),
  ).toMatchObject({
    kind: 'Status',
    code: 403,
    reason: 'Forbidden',
    details: { name: 'example-foo', group: 'samplecontroller.k8s.io', kind: 'foos' },
    message: expect.stringContaining('User "system:anonymous" cannot get resource "foos"'),
  });
});

function anonymously(url: string, ca: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    sent.on('error', reject).end();
  });
}
