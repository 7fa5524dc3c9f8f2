import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { copyStore } from '../../src/cluster/index.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

describe('a cluster that is backed up while it runs', requires('kubectl'), () => {
  test('is the same for kubectl where it is restored, and makes old watches start over', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-backup-'));
    const parts = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };
    const { signal } = new AbortController();
    const pkiFolder = join(folder, 'pki');
    const first = { type: 'folder', path: join(folder, 'first') } as const;
    const file = { type: 'file', path: join(folder, 'backup') } as const;
    const second = { type: 'folder', path: join(folder, 'second') } as const;
    try {
      await using running = await startTestCluster({
        serving: { pkiFolder },
        storage: { type: 'durable', folder: first.path },
      });
      const kubectl = new Kubectl(findKubectl() ?? '', running.kubeconfig);
      await kubectl.output('create', 'deployment', 'web', '--image=nginx');
      await kubectl.output('create', 'configmap', 'kept', '--from-literal=a=b');
      const shown = ['get', 'deployments,configmaps,namespaces', '-A', '-o', 'json', '--show-managed-fields'];
      const before = await kubectl.output(...shown);

      await copyStore({ ...parts, signal, from: first, to: file });
      await kubectl.output('create', 'configmap', 'late', '--from-literal=a=b');
      const late = await kubectl.output('get', 'configmap', 'late', '-o', 'jsonpath={.metadata.resourceVersion}');
      await copyStore({ ...parts, signal, from: file, to: second });

      await using restored = await startTestCluster({
        serving: { pkiFolder },
        storage: { type: 'durable', folder: second.path },
      });
      const there = new Kubectl(findKubectl() ?? '', restored.kubeconfig);
      expect(JSON.parse(await there.output(...shown))).toEqual(JSON.parse(before));
      const path = `/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=5&resourceVersion=${late}`;
      expect(await there.output('get', '--raw', path)).toContain('"reason":"Expired","code":410');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
