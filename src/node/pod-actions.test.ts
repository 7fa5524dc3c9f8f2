import { describe, expect, test } from 'vitest';
import { SeededRandom, VirtualClock } from '../base/index.ts';
import { nodeAgents } from './index.ts';
import { assumedVolumes, type NodeRuntime, type VolumeMounter } from './runtime/index.ts';
import { SIMULATED, SimulatedRuntime } from './simulated/index.ts';
import { NodeCluster } from './testing/node-cluster.ts';

describe('the configuration that a container waits for', () => {
  test('is told of, looked for again, and found', async () => {
    await using cluster = await NodeCluster.start();
    const pod = await cluster.run({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'nginx:1', envFrom: [{ secretRef: { name: 'login' } }] }] },
    });
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'secret "login" not found',
    });
    expect(await cluster.events('web')).toContain('Warning Failed: Error: secret "login" not found');
    await cluster.client.core.v1.secrets.namespace('default').create({ metadata: { name: 'login' } });
    await cluster.advance('10s');
    expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
  });
});

describe('the volumes of a pod', () => {
  test('hold it up until they are there, and are taken away when it has ended', async () => {
    const done: string[] = [];
    const volumes: VolumeMounter = {
      ...assumedVolumes,
      mount: async (pod, volume, options) => {
        done.push(`mount ${volume.name}`);
        if (done.length === 1) throw new Error('disk is not attached yet');
        return assumedVolumes.mount(pod, volume, options);
      },
      unmountAll: async ({ metadata }) => void done.push(`unmount all of ${metadata.name}`),
    };
    const create = (): NodeRuntime => {
      const options = {
        clock: new VirtualClock(),
        random: new SeededRandom(1),
        podCidrs: ['10.0.0.0/24'],
        version: '1',
      };
      return Object.assign(new SimulatedRuntime(options), { volumes });
    };
    await using cluster = await NodeCluster.start(nodeAgents({ runtime: { name: SIMULATED, create } }));
    const pod = await cluster.run({
      metadata: { name: 'web' },
      spec: {
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [{ name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    });
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ContainerCreating');
    expect(await cluster.events('web')).toEqual([
      'Warning FailedMount: MountVolume.SetUp failed for volume "data" : disk is not attached yet',
    ]);
    await cluster.advance('10s');
    expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
    await cluster.pods.delete('web');
    await cluster.settle();
    expect(done.at(-1)).toBe('unmount all of web');
  });
});
