import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { podLabelsApp } from '../../examples/pod-labels-webhook/pod-labels-webhook.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';

const command = findKubectl() ?? '';

test('kubectl shows what admission webhooks refuse and warn of', requires('kubectl'), async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.run(podLabelsApp());
  await cluster.settle();
  const kubectl = new Kubectl(command, await cluster.kubeconfig());
  const refused = await kubectl.run(['run', 'web', '--image=nginx:latest']);
  expect(refused.stderr).toBe(
    'Warning: this pod belongs to no team\n' +
      'Error from server (Forbidden): admission webhook "labels.pods.acme.dev" denied the request: ' +
      'container "web" must name a version of its image, not latest\n',
  );
  expect(refused.code).toBe(1);
  const created = await kubectl.run(['run', 'web', '--image=nginx:1.27']);
  expect(created.stderr).toBe('Warning: this pod belongs to no team\n');
  expect(await kubectl.output('get', 'pod', 'web', '-o', 'jsonpath={.metadata.labels}')).toBe(
    '{"acme.dev/team":"none","run":"web"}',
  );
  const listed = await kubectl.output('get', 'mutatingwebhookconfigurations,validatingwebhookconfigurations');
  expect(listed.match(/labels\.pods\.acme\.dev\s+1/g)).toHaveLength(2);
});
