import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RandomUidSource, RealClock } from '../../../src/base/index.ts';
import { openEncryption } from '../../../src/encryption/index.ts';
import { fixedPlugin, writeConfiguration } from './setup.ts';

interface RecordedValue {
  readonly resource: string;
  readonly key: string;
  readonly value: string;
}

const recorded = JSON.parse(
  await readFile(new URL('recorded.json', import.meta.url), 'utf8'),
) as readonly RecordedValue[];

test('what a real kube-apiserver has encrypted is read, under its own key and under no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'encryption-'));
  const stop = new AbortController();
  const plugin = fixedPlugin(join(folder, 'kms.sock'));
  const running = plugin.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await rm(folder, { recursive: true });
  });
  await plugin.listening();
  const random = new CryptoRandom();
  const path = await writeConfiguration(folder, plugin);
  await using encryption = await openEncryption(
    { path, isReloading: false },
    { clock: new RealClock(), random, uids: new RandomUidSource(random), log: discardLogger },
  );
  for (const { resource, key, value } of recorded) {
    const transformer = encryption.transformerFor({ group: '', plural: resource });
    const sealed = Buffer.from(value, 'base64');
    const opened = await transformer.fromStorage(sealed, key);
    expect(opened.isStale, resource).toBe(false);
    expect(Buffer.from(opened.value).toString('latin1'), resource).toMatch(/^k8s\0[^]*marked/);
    const isBound = resource === 'secrets' || resource === 'endpoints';
    if (isBound)
      await expect(async () => transformer.fromStorage(sealed, `${key}x`)).rejects.toThrow(
        'message authentication failed',
      );
  }
});
