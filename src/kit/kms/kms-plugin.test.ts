import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { Channel } from '../../wire/grpc/index.ts';
import { kmsV2 } from '../../wire/kms/index.ts';
import { kmsPlugin } from './kms-plugin.ts';

test('a plugin serves KMS v2 on a socket that only its owner may open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kms-'));
  const socket = join(folder, 'kms.sock');
  const stop = new AbortController();
  const reversed = (value: Uint8Array): Uint8Array => Buffer.from(value).reverse();
  const plugin = kmsPlugin({
    socket,
    keyId: async () => 'k1',
    encrypt: (plaintext) => ({
      ciphertext: reversed(plaintext),
      annotations: { 'note.acme.dev': Buffer.from('x') },
    }),
    decrypt(ciphertext, { keyId, annotations }) {
      if (keyId !== 'k1') throw new Error(`there is no key "${keyId}"`);
      expect(Buffer.from(annotations['note.acme.dev'] ?? '').toString()).toBe('x');
      return reversed(ciphertext);
    },
  });
  const running = plugin.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await rm(folder, { recursive: true });
  });
  await plugin.listening();
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
  await using channel = new Channel({
    endpoints: [plugin.endpoint],
    clock: new RealClock(),
    random: new CryptoRandom(),
  });

  expect(await channel.call(kmsV2.status, {})).toMatchObject({ version: 'v2', healthz: 'ok', keyId: 'k1' });
  const encrypted = await channel.call(kmsV2.encrypt, { plaintext: Buffer.from('key'), uid: 'u' });
  expect(encrypted.keyId).toBe('k1');
  const { ciphertext, annotations } = encrypted;
  const decrypted = await channel.call(kmsV2.decrypt, { ciphertext, annotations, keyId: 'k1', uid: 'u' });
  expect(Buffer.from(decrypted.plaintext ?? '').toString()).toBe('key');
  const refused = channel.call(kmsV2.decrypt, { ciphertext, annotations, keyId: 'k2', uid: 'u' });
  await expect(refused).rejects.toThrow('there is no key "k2"');
  expect(plugin.configuration()).toMatchObject({
    resources: [{ resources: ['secrets'], providers: [{ kms: { endpoint: `unix://${socket}` } }, { identity: {} }] }],
  });
});
