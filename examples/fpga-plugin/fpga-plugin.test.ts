import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fpgaPlugin } from './fpga-plugin.ts';

const RESOURCE = 'example.com/fpga';

test('pods get cards, run on them, and see which ones are broken', async () => {
  const pluginDir = await mkdtemp(join(tmpdir(), 'fpga-'));
  onTestFinished(() => rm(pluginDir, { recursive: true, force: true }));
  await using cluster = await startCluster({ pluginDir });
  const plugin = fpgaPlugin([
    { name: 'fpga0', numaNode: 0 },
    { name: 'fpga1', numaNode: 1 },
    { name: 'fpga2', numaNode: 0 },
  ]);
  await using _running = await plugin.start({ kubeletDir: pluginDir });
  const { nodes, pods } = cluster.client.core.v1;
  /** The plugin is outside of the cluster's virtual time. */
  const eventually = (check: () => Promise<void>): Promise<void> =>
    vi.waitFor(
      async () => {
        await cluster.settle();
        await check();
      },
      { timeout: 120_000 },
    );
  await eventually(async () => expect((await nodes.get('keelson')).status?.allocatable?.[RESOURCE]).toBe('3'));

  await pods.namespace('default').create({
    metadata: { name: 'crypto' },
    spec: { containers: [{ name: 'main', image: 'crypto', resources: { limits: { [RESOURCE]: '2' } } }] },
  });

  await eventually(async () => {
    const { status } = await pods.namespace('default').get('crypto');
    expect(status?.phase).toBe('Running');
    expect(status?.containerStatuses?.[0]?.allocatedResourcesStatus).toEqual([
      {
        name: RESOURCE,
        resources: [
          { resourceID: 'fpga0', health: 'Healthy' },
          { resourceID: 'fpga2', health: 'Healthy' },
        ],
      },
    ]);
  });

  plugin.devices.setHealth('fpga2', false);

  await eventually(async () => {
    const { status } = await pods.namespace('default').get('crypto');
    const [cards] = status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
    expect(cards?.resources).toContainEqual({ resourceID: 'fpga2', health: 'Unhealthy' });
  });
});
