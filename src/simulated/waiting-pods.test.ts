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

describe('a configuration that becomes too large', () => {
  const doubling = Array.from({ length: 40 }, (_unused, index) => ({
    name: `V${index}`,
    value: index === 0 ? 'x' : `$(V${index - 1})$(V${index - 1})`,
  }));
  const message = (limit: number): string =>
    `environment variables, command and arguments are longer than ${limit} characters after expansion`;

  test('keeps its container waiting, and no other pod', async () => {
    await using cluster = await startNodes();
    const pod = await cluster.run({
      metadata: { name: 'large' },
      spec: { containers: [{ name: 'web', image: 'nginx:1', env: doubling, args: ['$(V39)'] }] },
    });
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CreateContainerError',
      message: message(1024 * 1024),
    });
    expect(await cluster.events('large')).toContain(`Warning Failed: Error: ${message(1024 * 1024)}`);
    const other = await cluster.run({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    expect(other.status?.phase).toBe('Running');
  });

  test('is counted for all containers of a pod', async () => {
    await using cluster = await startNodes();
    const env = doubling.slice(0, 19);
    const containers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
      name,
      image: 'nginx:1',
      env: [...env],
      args: ['$(V18)'],
    }));
    const pod = await cluster.run({ metadata: { name: 'large' }, spec: { containers } });
    const states = pod.status?.containerStatuses?.map(({ state }) => state?.waiting?.reason ?? 'running');
    expect(states).toEqual([...Array.from({ length: 5 }, () => 'running'), 'CreateContainerError']);
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
