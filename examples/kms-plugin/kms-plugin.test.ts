import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { yearlyKeys } from './kms-plugin.ts';

test('secrets are encrypted through the plugin: without it none can be written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kms-'));
  const stop = new AbortController();
  const plugin = yearlyKeys(join(folder, 'kms.sock'));
  const running = plugin.run(stop.signal);
  onTestFinished(async () => {
    await running;
    await rm(folder, { recursive: true });
  });
  await plugin.listening();
  const path = join(folder, 'encryption.json');
  await writeFile(path, JSON.stringify(plugin.configuration()));
  await using cluster = await startCluster({ nodes: 0, encryption: { path, isReloading: false } });
  const secrets = cluster.client.core.v1.secrets.namespace('default');
  const hush = { metadata: { name: 'hush' }, stringData: { password: 'open sesame' } };
  await secrets.create(hush);
  expect((await secrets.get('hush')).data).toEqual({ password: Buffer.from('open sesame').toString('base64') });

  stop.abort();
  await running;
  await cluster.clock.advance('4m');
  await expect(secrets.create({ ...hush, metadata: { name: 'late' } })).rejects.toThrow('expired at');
  expect((await secrets.get('hush')).data).toBeDefined();
});
