import { describe, expect, test } from 'vitest';
import type { OpenNodeBackend } from '../node/index.ts';
import { simulatedBackend } from './index.ts';
import { startNodes } from './testing/simulated-nodes.ts';

describe('the configuration that a container waits for', () => {
  test('is reported as missing, looked up again, and found', async () => {
    await using cluster = await startNodes();
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
  test('delay its start until they are available, and are removed when it has ended', async () => {
    const done: string[] = [];
    const backend: OpenNodeBackend = async (node, context) => {
      const opened = await simulatedBackend()(node, context);
      const [simulated] = opened.volumes;
      if (simulated === undefined) throw new Error('there are no volumes');
      const plugin = {
        ...simulated,
        mount: async (request: Parameters<typeof simulated.mount>[0]) => {
          done.push(`mount ${request.volume.name}`);
          if (done.length === 1) throw new Error('disk is not attached yet');
          return simulated.mount(request);
        },
        unmount: async ({ volume }: { readonly volume: string }) => void done.push(`unmount ${volume}`),
      };
      return { ...opened, volumes: [plugin] };
    };
    await using cluster = await startNodes({ backend });
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
    expect(done.at(-1)).toBe('unmount data');
  });
});
