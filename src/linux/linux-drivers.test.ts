import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../base/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';
import { Mounts, SmallShell } from '../system/index.ts';
import { openLinuxDrivers } from './linux-drivers.ts';

const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };

test('drivers of all kinds are opened and closed together, also when a later one cannot be opened', async () => {
  const root = await mkdtemp(join(tmpdir(), 'keelson-drivers-'));
  onTestFinished(() => rm(root, { recursive: true }));
  using shell = new SmallShell(tools.clock);
  await using cluster = await TestCluster.start({ clock: tools.clock });
  const context = { ...tools, client: cluster.client(), changed: () => undefined, podChanged: () => undefined };
  const options = { root, mounts: new Mounts(shell), numaNodes: [0], volumePluginDir: join(root, 'exec') };
  const socket = join(root, 'device-plugins', 'kubelet.sock');
  {
    await using drivers = await openLinuxDrivers('n', context, options);
    expect(existsSync(socket)).toBe(true);
    expect(drivers.tasks).toHaveLength(4);
  }
  expect(existsSync(socket)).toBe(false);

  await writeFile(join(root, 'dra_manager_state'), JSON.stringify({ Data: '{}', Checksum: 1 }));
  await expect(openLinuxDrivers('n', context, options)).rejects.toThrow('checksum');
  expect(existsSync(socket)).toBe(false);
});
