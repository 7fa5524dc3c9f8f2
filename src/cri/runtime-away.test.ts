import { expect, onTestFinished, test, vi } from 'vitest';
import { settle } from '../base/index.ts';
import { type OpenNodeBackend, nodeAgents } from '../node/index.ts';
import { MemoryMachine } from '../node/testing/memory-backend.ts';
import { NodeCluster } from '../node/testing/node-cluster.ts';
import { criRuntime } from './index.ts';
import { RuntimeBehindSocket } from './testing/served-runtime.ts';

test('a node whose runtime is away is not ready, with the reason of the kubelet, and comes back', async () => {
  const machine = new MemoryMachine();
  let behind: RuntimeBehindSocket | undefined;
  const backend: OpenNodeBackend = async (node, context) => {
    const own = await machine.open(node, context);
    const { clock } = context;
    const run = (): Promise<number> => new Promise(() => undefined);
    behind ??= await RuntimeBehindSocket.serve(criRuntime({ name: 'echo', version: '1.0', run, clock }), clock);
    const { runtime, images, calls } = behind.connect('echo');
    const polling = { relistEvery: 60_000, checkEvery: 10_000 };
    return { ...own, runtime, images, polling, [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose]() };
  };
  await using cluster = await NodeCluster.start(nodeAgents({ backend }), settle);
  onTestFinished(async () => behind?.[Symbol.asyncDispose]());
  /** Calls take real time, and how much of it is not known: virtual time passes until the node says so. */
  const becomes = (condition: object): Promise<void> =>
    vi.waitFor(
      async () => {
        await cluster.advance('1s');
        const { status } = await cluster.client.core.v1.nodes.get('keelson');
        expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject(condition);
      },
      { timeout: 120_000, interval: 1 },
    );
  await becomes({ status: 'True', reason: 'KubeletReady' });
  const stopping = behind?.stop(); // takes a second of virtual time: the node follows its events
  await cluster.advance('2s');
  await stopping;
  await becomes({ status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' });
  await behind?.start();
  await becomes({ status: 'True', reason: 'KubeletReady' });
});
