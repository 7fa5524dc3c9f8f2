import { expect, test } from 'vitest';
import { NO_DEVICES, type NodeDevices, type OpenNodeBackend } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

function backendWith(memory: MemoryMachine, devices: Partial<NodeDevices>): OpenNodeBackend {
  return async (node, context) => ({ ...(await memory.open(node, context)), devices: { ...NO_DEVICES, ...devices } });
}

test('a pod that the devices of the node reject has failed, and its resources are free for the next one', async () => {
  const message = 'Allocate failed due to no healthy devices present; cannot allocate, which is unexpected';
  const memory = new MemoryMachine();
  const backend = backendWith(memory, {
    admit: async ({ metadata }) =>
      metadata.name === 'refused' ? { reason: 'UnexpectedAdmissionError', message } : undefined,
  });
  await using cluster = await NodeCluster.start(nodeAgents({ backend }));
  const containers = [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '2' } } }];
  const { status } = await cluster.run({ metadata: { name: 'refused' }, spec: { containers } });
  expect(status).toMatchObject({
    phase: 'Failed',
    reason: 'UnexpectedAdmissionError',
    message: `Pod was rejected: ${message}`,
  });
  expect(status?.containerStatuses).toBeUndefined();
  expect(await cluster.events('refused')).toEqual([`Warning UnexpectedAdmissionError: ${message}`]);
  expect(memory.containers.size).toBe(0);
  // the node has 3 CPUs for pods: the next one fits only where the refused one takes none
  const next = await cluster.run({ metadata: { name: 'next' }, spec: { containers } });
  expect(next.status?.phase).toBe('Running');
});

test('an agent that restarts does not admit running pods again', async () => {
  let count = 0;
  const backend = backendWith(new MemoryMachine(), {
    admit: async () => {
      count += 1;
      return undefined;
    },
  });
  await using cluster = await NodeCluster.start(nodeAgents({ backend }));
  await cluster.run({ metadata: { name: 'web' } });
  await cluster.stopNodes();
  await cluster.startNodes();
  await cluster.advance('1m');
  expect(count).toBe(1);
});

test('devices are prepared before a pod starts and released when it is gone', async () => {
  const calls: string[] = [];
  const memory = new MemoryMachine();
  const edits = { mounts: [], devices: [], annotations: {} };
  const backend = backendWith(memory, {
    prepare: async (pod) => {
      calls.push(`prepare ${pod.metadata.name} beside ${memory.containers.size} containers`);
      return new Map([['web', { ...edits, envs: [{ key: 'GPU', value: '0' }], cdiDevices: ['example.com/gpu=0'] }]]);
    },
    unprepare: async () => void calls.push(`unprepare beside ${memory.containers.size} containers`),
  });
  await using cluster = await NodeCluster.start(nodeAgents({ backend }));
  await cluster.run({ metadata: { name: 'web' } });
  const [container] = memory.containers.values();
  expect(container?.config.envs).toContainEqual({ key: 'GPU', value: '0' });
  expect(container?.config.cdiDevices).toEqual(['example.com/gpu=0']);
  await cluster.pods.delete('web', { gracePeriodSeconds: 0 });
  await cluster.advance('1m');
  expect(calls[0]).toBe('prepare web beside 0 containers');
  expect(calls.at(-1)).toMatch(/^unprepare/);
});
