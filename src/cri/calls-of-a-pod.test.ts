import { afterEach, expect, test } from 'vitest';
import { settle } from '../base/index.ts';
import { FileLogs, NetworkActions, nodeAgents, type OpenNodeBackend, RuntimeUsage } from '../node/index.ts';
import { MemoryMachine } from '../node/testing/memory-backend.ts';
import { NodeCluster } from '../node/testing/node-cluster.ts';
import { criRuntime } from './index.ts';
import { RuntimeBehindSocket } from './testing/served-runtime.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

/** A node without looks of its own at the runtime, and the calls that its pods cost. */
async function startNode(): Promise<{ readonly cluster: NodeCluster; takeCalls(): readonly string[] }> {
  const machine = new MemoryMachine();
  let behind: RuntimeBehindSocket | undefined;
  const backend: OpenNodeBackend = async (node, context) => {
    const { clock, random } = context;
    const written = criRuntime({
      name: 'echo',
      version: '1.0',
      run: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(0), { once: true })),
      clock,
      random,
    });
    behind = await RuntimeBehindSocket.serve(written, clock);
    open.push(behind);
    const { runtime, images, calls } = behind.connect('echo');
    return {
      ...(await machine.open(node, context)),
      ...{ runtime, images },
      logs: new FileLogs(clock, async () => true),
      actions: new NetworkActions(runtime, clock),
      usage: new RuntimeUsage(runtime),
      polling: { relistEvery: undefined, checkEvery: undefined },
      [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
    };
  };
  const settled = (): Promise<void> => (behind === undefined ? settle() : behind.settle());
  const cluster = await NodeCluster.start(nodeAgents({ backend }), settled);
  open.push(cluster);
  await cluster.run({ metadata: { name: 'first' } }); // pulls the image
  return { cluster, takeCalls: () => behind?.takeCalls() ?? [] };
}

test('the runtime is asked no more than it takes to start and to end a pod', async () => {
  const { cluster, takeCalls } = await startNode();
  takeCalls();
  await cluster.run({ metadata: { name: 'web' } });
  expect(takeCalls()).toEqual([
    'ListPodSandbox',
    'RunPodSandbox',
    'ImageStatus',
    'PodSandboxStatus', // the addresses are in the hosts file of the container
    'CreateContainer',
    'StartContainer',
    'PodSandboxStatus',
  ]);

  await cluster.pods.delete('web');
  await cluster.settle();
  expect(takeCalls()).toEqual([
    'PodSandboxStatus',
    'StopContainer',
    'StopPodSandbox',
    'PodSandboxStatus',
    'RemovePodSandbox',
  ]);
});
