import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { podLog } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gpuDriver } from './gpu-dra.ts';

test('pods get the cards that their claims ask for, with the settings of the claim', async () => {
  const kubeletDir = await mkdtemp(join(tmpdir(), 'gpu-'));
  onTestFinished(() => rm(kubeletDir, { recursive: true, force: true }));
  const cdiDir = join(kubeletDir, 'cdi');
  await using cluster = await startCluster({ pluginDir: kubeletDir });
  const { client } = cluster;
  const driver = gpuDriver([
    { name: 'card0', model: 'small', memory: '8Gi' },
    { name: 'card1', model: 'large', memory: '80Gi' },
    { name: 'card2', model: 'large', memory: '80Gi' },
  ]);
  await using _running = await driver.start({ client, nodeName: 'keelson', kubeletDir, cdiDir });
  await client.resource.v1.deviceclasses.create({
    metadata: { name: 'gpu' },
    spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] },
  });
  const expression = 'device.attributes["gpu.example.com"].model == "large"';
  const parameters = { apiVersion: 'gpu.example.com/v1', kind: 'Sharing', sharing: 'time-sliced' };
  await client.resource.v1.resourceclaims.namespace('default').create({
    metadata: { name: 'training' },
    spec: {
      devices: {
        requests: [
          { name: 'gpus', exactly: { deviceClassName: 'gpu', count: 2, selectors: [{ cel: { expression } }] } },
        ],
        config: [{ opaque: { driver: 'gpu.example.com', parameters } }],
      },
    },
  });
  const pods = client.core.v1.pods.namespace('default');
  await pods.create({
    metadata: { name: 'training' },
    spec: {
      resourceClaims: [{ name: 'gpus', resourceClaimName: 'training' }],
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sh', '-c', 'echo $GPUS $GPU_SHARING; sleep 3600'],
          resources: { claims: [{ name: 'gpus' }] },
        },
      ],
    },
  });
  /** The driver is outside of the cluster's virtual time. */
  const eventually = (check: () => Promise<void>): Promise<void> =>
    vi.waitFor(
      async () => {
        await cluster.settle();
        await check();
      },
      { timeout: 120_000 },
    );
  await eventually(async () => {
    let log = '';
    for await (const text of podLog(pods, 'training')) log += text;
    expect(log).toBe('card1,card2 time-sliced\n');
  });
  const healthOf = async (): Promise<readonly (string | undefined)[]> => {
    const { status } = await pods.get('training');
    const [gpus] = status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
    return [
      gpus?.name,
      ...(gpus?.resources ?? []).map(({ health, message }) => `${health ?? ''} ${message ?? ''}`.trim()),
    ];
  };
  await eventually(async () => expect(await healthOf()).toEqual(['claim:gpus', 'Healthy', 'Healthy']));

  driver.devices.setHealth('card2', 'Unhealthy', { message: 'it is too hot' });

  await eventually(async () => expect(await healthOf()).toEqual(['claim:gpus', 'Healthy', 'Unhealthy it is too hot']));

  await pods.delete('training');
  await eventually(async () => expect(await readdir(cdiDir)).toEqual([]));
});
