import { chmod, rm } from 'node:fs/promises';
import { aborted, RealClock, type Runnable } from '../../base/index.ts';
import type { KmsPluginOptions } from './kms-options.ts';

/** A key management plugin (KMS v2): API servers ask it to encrypt the keys that they encrypt objects with. */
export function kmsPlugin(options: KmsPluginOptions): KmsPlugin {
  return new KmsPlugin(options);
}

export interface KmsConfigurationOptions {
  readonly resources?: readonly string[];
  /** What metrics and health checks of the API server call the plugin; default keelson. */
  readonly name?: string;
}

/** The plugin that `kmsPlugin()` makes; `run` it. */
export class KmsPlugin implements Runnable {
  readonly #options: KmsPluginOptions;
  #isListening = false;
  #waiting: (() => void)[] = [];

  constructor(options: KmsPluginOptions) {
    this.#options = options;
  }

  /** The `endpoint` for an EncryptionConfiguration. */
  get endpoint(): string {
    return `unix://${this.#options.socket}`;
  }

  /** Resolves when API servers can connect. */
  listening(): Promise<void> {
    return this.#isListening ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * An EncryptionConfiguration with which this plugin encrypts the resources, default secrets; objects that are not
   * encrypted yet stay readable. Its file is JSON: `JSON.stringify(plugin.configuration())`.
   */
  configuration({ resources = ['secrets'], name = 'keelson' }: KmsConfigurationOptions = {}): object {
    const kms = { apiVersion: 'v2', name, endpoint: this.endpoint };
    return {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources, providers: [{ kms }, { identity: {} }] }],
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { socket, clock = new RealClock() } = this.#options;
    await rm(socket, { force: true });
    const { serveKms } = await import('./kms-service.ts'); // gRPC is large and rarely used
    await using _server = await serveKms(this.#options, clock);
    await chmod(socket, 0o600);
    this.#isListening = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
    await aborted(signal);
    this.#isListening = false;
  }
}
