import { expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { startCluster } from '../../src/testing/index.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';

test('kubectl meets the faults of a test cluster', requires('kubectl'), async () => {
  await using cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
  const kubectl = new Kubectl(findKubectl() ?? '', await cluster.kubeconfig());
  await kubectl.output('create', 'configmap', 'm');
  cluster.fault({ type: 'conflict', program: 'kubectl', resource: 'configmaps', verb: 'patch', times: 1 });
  const { code, stderr } = await kubectl.run(['label', 'configmap', 'm', 'a=b']);
  expect(code).toBe(1);
  expect(stderr).toContain('the object has been modified; please apply your changes to the latest version');
  await kubectl.output('label', 'configmap', 'm', 'a=b');

  using stale = cluster.fault({ type: 'staleRead', resource: 'configmaps' });
  await kubectl.output('delete', 'configmap', 'm');
  expect(await kubectl.output('get', 'configmaps')).toMatch(/^m +0 /m);
  stale.remove();
  expect(await kubectl.output('get', 'configmaps')).not.toMatch(/^m /m);
});
