// Simulated devices beside the sockets of drivers: `--simulated-devices` and `--plugin-dir` together.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

test('simulated devices need no driver where others do, and their slices stay', async () => {
  const pluginDir = await mkdtemp(join(tmpdir(), 'keelson-both-'));
  onTestFinished(() => rm(pluginDir, { recursive: true, force: true }));
  await using cluster = await startCluster({ pluginDir, simulatedDevices: { 'sim.example.com': 1 } });
  const { core, resource } = cluster.client;
  const pods = core.v1.pods.namespace('default');
  /** Sockets and checkpoints are outside of the cluster's virtual time. */
  const eventually = (check: () => Promise<void>): Promise<void> =>
    vi.waitFor(
      async () => {
        await cluster.settle();
        await check();
      },
      { timeout: 120_000 },
    );
  const simulatedSlices = { fieldSelector: 'spec.driver=sim.example.com' };
  await eventually(async () => {
    expect((await core.v1.nodes.get('keelson')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
    expect((await resource.v1.resourceslices.list(simulatedSlices)).items).toHaveLength(1);
  });
  const driver = 'away.example.com';
  await resource.v1.resourceslices.create({
    metadata: { name: 'away' },
    spec: {
      ...{ driver, nodeName: 'keelson', pool: { name: 'away', generation: 1, resourceSliceCount: 1 } },
      devices: [{ name: 'a' }],
    },
  });
  await resource.v1.deviceclasses.create({
    metadata: { name: driver },
    spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
  });
  for (const name of ['sim', 'away']) {
    const requests = [{ name: 'device', exactly: { deviceClassName: `${name}.example.com` } }];
    await resource.v1.resourceclaims
      .namespace('default')
      .create({ metadata: { name }, spec: { devices: { requests } } });
    await pods.create({
      metadata: { name },
      spec: {
        resourceClaims: [{ name: 'device', resourceClaimName: name }],
        containers: [{ name: 'main', image: 'nginx', resources: { claims: [{ name: 'device' }] } }],
      },
    });
  }
  await eventually(async () => expect((await pods.get('sim')).status?.phase).toBe('Running'));
  await eventually(async () => {
    const { items } = await core.v1.events.namespace('default').list();
    expect(items.map(({ message }) => message)).toContain(
      `Failed to prepare dynamic resources: prepare dynamic resources: DRA driver ${driver} is not registered`,
    );
  });
  expect((await pods.get('away')).status?.phase).toBe('Pending');
  const { items } = await resource.v1.resourceslices.list(simulatedSlices);
  expect(items).toHaveLength(1);
});
