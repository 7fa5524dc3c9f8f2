import { createCipheriv, createDecipheriv } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestPlane } from '../../access/testing/test-plane.ts';
import type { VirtualClock } from '../../base/index.ts';
import type { StorageOptions } from '../../cluster/index.ts';
import { type KmsPluginOptions, kmsPlugin } from '../../kit/index.ts';

export type Provider = Readonly<Record<string, unknown>>;

export const key = (name: string, byte: number): object => ({
  name,
  secret: Buffer.alloc(32, byte).toString('base64'),
});

/** A folder with a configuration that tests can change, and servers that go by it. */
export class EncryptedPlanes implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<EncryptedPlanes> {
    return new EncryptedPlanes(await mkdtemp(join(tmpdir(), 'encryption-')));
  }

  get path(): string {
    return join(this.folder, 'encryption.json');
  }

  get socket(): string {
    return join(this.folder, 'kms.sock');
  }

  /** Has these providers encrypt these resources. */
  async configure(providers: readonly Provider[], resources: readonly string[] = ['secrets']): Promise<void> {
    const apiVersion = 'apiserver.config.k8s.io/v1';
    const configuration = { apiVersion, kind: 'EncryptionConfiguration', resources: [{ resources, providers }] };
    await writeFile(this.path, JSON.stringify(configuration));
  }

  start(storage: StorageOptions = { type: 'memory' }, clock?: VirtualClock): Promise<TestPlane> {
    const own = clock === undefined ? {} : { clock };
    return TestPlane.start({ ...own, storage: { ...storage, encryption: { path: this.path, isReloading: true } } });
  }

  /** Runs a plugin at `socket` until the result is disposed of. */
  async plugin(options: Partial<KmsPluginOptions> & Pick<KmsPluginOptions, 'keyId'>): Promise<AsyncDisposable> {
    const stop = new AbortController();
    const plugin = kmsPlugin({ socket: this.socket, ...simpleKeys, ...options });
    const running = plugin.run(stop.signal);
    await plugin.listening();
    return {
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** Good enough to be undone. */
export const simpleKeys: Pick<KmsPluginOptions, 'encrypt' | 'decrypt'> = {
  encrypt: (plaintext) => simple(createCipheriv, plaintext),
  decrypt: (ciphertext) => simple(createDecipheriv, ciphertext),
};

function simple(make: typeof createCipheriv | typeof createDecipheriv, value: Uint8Array): Uint8Array {
  const cipher = make('aes-256-ctr', Buffer.alloc(32, 1), Buffer.alloc(16, 2));
  return Buffer.concat([cipher.update(value), cipher.final()]);
}
