import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fieldErrorText } from '../api/index.ts';
import type { HealthCheck, ValueTransformer } from '../apiserver/index.ts';
import { messageOf, type MetricRegistry } from '../base/index.ts';
import { checkConfiguration } from './check-configuration.ts';
import { type EncryptionConfiguration, readEncryptionConfiguration } from './encryption-configuration.ts';
import { Providers } from './configured-providers.ts';
import { EncryptionConfigError, type EncryptionParts } from './encryption-parts.ts';
import { identity } from './providers/identity.ts';

export interface EncryptionOptions {
  /** An EncryptionConfiguration. */
  readonly path: string;
  /** Whether to follow changes of the file. */
  readonly isReloading: boolean;
}

const RELOAD_INTERVAL_MS = 60_000;

/** Reads the file and prepares its providers. Plugins that do not answer are asked again later, as upstream does. */
export async function openEncryption(options: EncryptionOptions, parts: EncryptionParts): Promise<Encryption> {
  const file = await readConfigurationFile(options.path);
  const encryption = new Encryption(options, parts);
  await encryption.use(file);
  if (options.isReloading) encryption.follow();
  return encryption;
}

interface ConfigurationFile {
  readonly configuration: EncryptionConfiguration;
  readonly hash: string;
}

async function readConfigurationFile(path: string): Promise<ConfigurationFile> {
  const refuse = (why: string, cause?: unknown): EncryptionConfigError =>
    new EncryptionConfigError(`error while parsing file: ${why}`, cause === undefined ? {} : { cause });
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw refuse(`error while loading file: error reading encryption provider configuration file "${path}"`, cause);
  }
  if (text === '') throw refuse(`error while loading file: encryption provider configuration file "${path}" is empty`);
  let configuration: EncryptionConfiguration;
  try {
    configuration = readEncryptionConfiguration(text);
  } catch (cause) {
    throw refuse(`error decoding encryption provider configuration file "${path}": ${messageOf(cause)}`);
  }
  const errors = checkConfiguration(configuration).map(fieldErrorText);
  if (errors.length > 0) throw refuse(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
  return { configuration, hash: hashOf(text) };
}

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Encrypts stored values as configured. Disposing closes the connections to plugins; stored values stay encrypted. */
export class Encryption implements AsyncDisposable {
  readonly #options: EncryptionOptions;
  readonly #parts: EncryptionParts;
  readonly #stop = new AbortController();
  #providers: Providers | undefined;
  #hash = '';
  #generation = 0;
  #onReload: ((isLoaded: boolean) => void) | undefined;

  /** Use `openEncryption`. */
  constructor(options: EncryptionOptions, parts: EncryptionParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** The transformer between the objects of a kind and the store. A later version of the file may name other kinds. */
  transformerFor({ group, plural }: { readonly group: string; readonly plural: string }): ValueTransformer {
    const { keyName = (key: string) => key } = this.#parts;
    // Events of both groups are stored as those of the core group.
    const storedGroup = group === 'events.k8s.io' ? '' : group;
    const provider = () => this.#providers?.for(plural, storedGroup) ?? identity;
    const generation = (): number => this.#generation;
    return {
      get generation() {
        return generation();
      },
      toStorage: (value, key) => provider().seal(value, keyName(key)),
      fromStorage: (value, key) => provider().open(value, keyName(key)),
    };
  }

  /** Under upstream's names. */
  get healthChecks(): readonly HealthCheck[] {
    if (!this.#options.isReloading && this.#providers?.hasKms !== true) return [];
    return [{ name: 'kms-providers', check: async () => this.#providers?.check() }];
  }

  /** Counts reloads under upstream's names. */
  countIn(metrics: MetricRegistry): void {
    if (!this.#options.isReloading) return;
    const total = metrics.counter({
      name: 'apiserver_encryption_config_controller_automatic_reloads_total',
      help: 'Times that a changed encryption configuration was taken up, or could not be.',
      labels: ['status'],
    });
    const last = metrics.gauge({
      name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
      help: 'When that last happened.',
      labels: ['status'],
    });
    this.#onReload = (isLoaded) => {
      const status = isLoaded ? 'success' : 'failure';
      total.with({ status }).add();
      last.with({ status }).set(Math.floor(this.#parts.clock.now() / 1000));
    };
  }

  /** Reloads the file if it has changed. An unusable file, or one with unhealthy plugins, changes nothing. */
  async reload(): Promise<void> {
    const { path } = this.#options;
    try {
      if (hashOf(await readFile(path, 'utf8')) === this.#hash) return;
      await this.use(await readConfigurationFile(path), true);
      this.#onReload?.(true);
      this.#parts.log.info('encryption configuration reloaded', { path });
    } catch (error) {
      this.#onReload?.(false);
      this.#parts.log.error('encryption configuration not reloaded', { path, error: messageOf(error) });
    }
  }

  /** For `openEncryption`. */
  async use({ configuration, hash }: ConfigurationFile, mustBeWell = false): Promise<void> {
    const onRotated = (): void => void (this.#generation += 1);
    const next = new Providers(configuration, { ...this.#parts, onRotated });
    try {
      await next.start();
      if (mustBeWell) await next.check();
    } catch (error) {
      await next[Symbol.asyncDispose]();
      throw error;
    }
    const before = this.#providers;
    this.#providers = next;
    this.#hash = hash;
    this.#generation += 1;
    await before?.[Symbol.asyncDispose]();
  }

  /** For `openEncryption`: checks the file every minute. */
  follow(): void {
    void this.#follow(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#providers?.[Symbol.asyncDispose]();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#parts.clock.sleep(RELOAD_INTERVAL_MS, signal);
      if (!signal.aborted) await this.reload();
    }
  }
}
