import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RealClock } from '../../src/base/index.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { findConnection } from '../../src/client/index.ts';
import { FaultProxy, startCluster } from '../../src/testing/index.ts';
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

test('kubectl meets the faults of a proxy in front of a cluster', requires('kubectl'), async () => {
  await using cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-kubectl-faults-'));
  const injected: string[] = [];
  try {
    await using proxy = await FaultProxy.open({
      connection: await findConnection({ kubeconfig: await cluster.kubeconfig() }),
      faults: [
        { type: 'conflict', program: 'kubectl', resource: 'configmaps', verb: 'patch', times: 1 },
        { type: 'expired', program: 'kubectl', verb: 'watch', times: 1 },
      ],
      seed: 'test',
      port: 0,
      clock: new RealClock(),
      onInjection: ({ request, program }) => void injected.push(`${program}: ${request}`),
    });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, proxy.kubeconfig);
    const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
    await kubectl.output('create', 'configmap', 'm');
    const { code, stderr } = await kubectl.run(['label', 'configmap', 'm', 'a=b']);
    expect(code).toBe(1);
    expect(stderr).toContain('the object has been modified; please apply your changes to the latest version');
    await kubectl.output('label', 'configmap', 'm', 'a=b');
    expect(await kubectl.output('get', 'configmaps', '--watch')).toMatch(
      /^m +0 [^]*Expired +too old resource version/m,
    );
    expect(injected).toEqual(['kubectl: patch configmaps default/m', 'kubectl: watch configmaps default']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
