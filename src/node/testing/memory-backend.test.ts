import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { describeNodeBackend } from './describe-node-backend.ts';
import { MemoryMachine } from './memory-backend.ts';
import { NodeCluster } from './node-cluster.ts';

const ALL = { networkSwitch: true, deviceEdits: true, mountedVolumes: true };

describeNodeBackend('the backend in memory', ALL, () => {
  const machine = new MemoryMachine();
  return {
    open: machine.open,
    exit: async (cluster, pod, code) => {
      for (const { id, labels } of machine.containers.values())
        if (labels['io.kubernetes.pod.name'] === pod) machine.exit(id, code, cluster.clock.now());
      await cluster.settle();
    },
    rest: async () => machine.rest,
    setNetworkReady: (isReady) => (machine.isNetworkReady = isReady),
    setEdits: (edits) => (machine.edits = edits),
  };
});

test('files of volumes are written, follow their ConfigMap, and a missing one holds the pod up', async () => {
  const machine = new MemoryMachine();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: machine.open }));
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  const container = { name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const spec = { volumes: [{ name: 'data', configMap: { name: 'settings' } }], containers: [container] };
  await cluster.run({ metadata: { name: 'web' }, spec });
  expect(await cluster.events('web')).toEqual([
    'Warning FailedMount: MountVolume.SetUp failed for volume "data" : configmap "settings" not found',
  ]);
  await maps.create({ metadata: { name: 'settings' }, data: { color: 'blue' } });
  await cluster.advance('10s');
  const content = (end: string): unknown => [...machine.files].find(([path]) => path.endsWith(end))?.[1];
  expect(content('/data/color')).toBe('blue');
  expect(content('/etc-hosts')).toMatch(/\tweb\n$/);
  await maps.patch('settings', mergePatch({ data: { color: 'red' } }));
  await cluster.advance('2m');
  expect(content('/data/color')).toBe('red');
});

test('a sandbox without the labels of a kubelet is left alone', async () => {
  const machine = new MemoryMachine();
  const metadata = { name: 'other', namespace: 'tools', uid: 'x', attempt: 0 };
  const network = { ip: '', additionalIps: [] };
  const foreign = { id: 'foreign', metadata, state: 'SANDBOX_READY', createdAtMs: 0, network } as const;
  machine.sandboxes.set('foreign', { ...foreign, labels: {}, annotations: {} });
  await using cluster = await NodeCluster.start(nodeAgents({ backend: machine.open }));
  await cluster.advance('10m');
  expect([...machine.sandboxes.keys()]).toEqual(['foreign']);
});

test('a termination message is read from the file of the container', async () => {
  const machine = new MemoryMachine();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: machine.open }));
  const container = { name: 'web', image: 'nginx:1', terminationMessagePath: '/dev/termination-log' };
  await cluster.run({ metadata: { name: 'web' }, spec: { restartPolicy: 'Never', containers: [container] } });
  const path = [...machine.files.keys()].find((each) => each.endsWith('/containers/web/0')) ?? '';
  machine.files.set(path, 'no more disk');
  for (const { id } of machine.containers.values()) machine.exit(id, 1, cluster.clock.now());
  await cluster.settle();
  const { containerStatuses } = (await cluster.pods.get('web')).status ?? {};
  expect(containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 1, message: 'no more disk' });
});
