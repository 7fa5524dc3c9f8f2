import { expect, test } from 'vitest';
import type { OpenNodeBackend } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

test('what a pod mounts goes to the handler of its RuntimeClass, and follows what that handler can do', async () => {
  const machine = new MemoryMachine();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: withHandlers(machine.open) }));
  await cluster.client.node.v1.runtimeclasses.create({ metadata: { name: 'vm' }, handler: 'kata' });
  const mounts = [
    { name: 'tools', mountPath: '/tools' },
    { name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'IfPossible' },
  ];
  const volumes = [
    { name: 'tools', image: { reference: 'tools:1' } },
    { name: 'data', emptyDir: {} },
  ];
  const containers = [{ name: 'web', image: 'nginx:1', volumeMounts: mounts }];
  await cluster.run({ metadata: { name: 'plain' }, spec: { volumes, containers } });
  await cluster.run({ metadata: { name: 'vm' }, spec: { volumes, containers, runtimeClassName: 'vm' } });
  const [plain, vm] = [...machine.containers.values()].map(({ config }) =>
    ['/tools', '/data'].map((path) => config.mounts.find(({ containerPath }) => containerPath === path)),
  );
  expect(plain).toMatchObject([{ image: { image: 'tools:1' } }, { recursiveReadOnly: false }]);
  expect(plain?.[0]?.image).not.toHaveProperty('runtimeHandler');
  expect(vm).toMatchObject([{ image: { image: 'tools:1', runtimeHandler: 'kata' } }, { recursiveReadOnly: true }]);
  const reported = async (name: string): Promise<unknown> =>
    (await cluster.pods.get(name)).status?.containerStatuses?.[0]?.volumeMounts?.[1]?.recursiveReadOnly;
  expect([await reported('plain'), await reported('vm')]).toEqual(['Disabled', 'Enabled']);
});

/** Only the handler `kata` can make everything below a mount read-only. */
function withHandlers(open: OpenNodeBackend): OpenNodeBackend {
  return async (node, context) => {
    const backend = await open(node, context);
    const { status } = backend.runtime;
    const runtimeHandlers = ['', 'kata'].map((name) => ({
      name,
      features: { recursiveReadOnlyMounts: name === 'kata', userNamespaces: false },
    }));
    backend.runtime.status = async () => ({ ...(await status()), runtimeHandlers });
    return backend;
  };
}
