import { createHash } from 'node:crypto';
import type { OpenedValue } from '../../apiserver/index.ts';
import { type Clock, type Logger, messageOf, secureBytes } from '../../base/index.ts';
import type { Provider } from '../providers/provider.ts';
import {
  checkEncryptedKey,
  decodeEncryptedObject,
  encodeEncryptedObject,
  type EncryptedObject,
  keyIdProblem,
} from './encrypted-object.ts';
import type { EncryptedKey, KmsService, KmsStatus } from './kms-service.ts';
import { type DataKey, dataKey, SEED_BYTES } from './seeded-gcm.ts';

export interface KmsProviderOptions {
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when fresh values have become stale, because the plugin uses another key. */
  onRotated(): void;
}

/** The key that encrypts new values. */
interface WritingKey {
  readonly data: DataKey;
  readonly encrypted: EncryptedKey;
  /** After this long without an answer, the plugin may have switched to another key. */
  expiresMs: number;
}

const HEALTHY_INTERVAL_MS = 60_000;
const UNHEALTHY_INTERVAL_MS = 10_000;
const WRITING_KEY_TTL_MS = 180_000;
const HEALTHY_TTL_MS = 20_000;
const UNHEALTHY_TTL_MS = 3000;
/** Max decrypted keys kept; each is the key of all values that one server wrote during one period. */
const MAX_KEYS = 1000;

/**
 * Encrypts values with a locally generated seed, which a plugin (KMS v2) encrypts and which is stored beside each
 * value. The plugin is called for an unknown key and, once a minute, for its health and its current key.
 *
 * Guarantees: a read waits no longer than the plugin's timeout; a write never waits for the plugin. Concurrent reads of
 * the same key share one call.
 */
export class KmsProvider implements Provider {
  readonly prefix: string;
  readonly #options: KmsProviderOptions;
  readonly #keys = new Map<string, DataKey>();
  readonly #asked = new Map<string, Promise<DataKey>>();
  #writing: WritingKey | undefined;
  #version: string | undefined;
  #checked: { readonly untilMs: number; readonly failure: Error | undefined } | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: KmsProviderOptions) {
    this.#options = options;
    this.prefix = `k8s:enc:kms:v2:${options.name}:`;
  }

  seal(value: Uint8Array, key: string): Uint8Array {
    const writing = this.#writing;
    if (writing === undefined) throw new Error(NO_KEY);
    const now = this.#options.clock.now();
    if (now > writing.expiresMs) {
      const keyId = hashOf(writing.encrypted.keyId);
      const [expired, current] = [goTime(writing.expiresMs), goTime(now)];
      throw new Error(
        `encryptedDEKSource with keyID hash ${JSON.stringify(keyId)} expired at ${expired} (current time is ${current})`,
      );
    }
    return encodeEncryptedObject({ data: writing.data.seal(value, key), key: writing.encrypted, use: 'seed' });
  }

  open(value: Uint8Array, key: string): OpenedValue | Promise<OpenedValue> {
    const object = decodeEncryptedObject(value);
    if (this.#writing === undefined) throw new Error(NO_KEY);
    const name = cacheName(object);
    const known = this.#keys.get(name);
    if (known !== undefined) return this.#opened(object, known, key);
    return this.#ask(name, object).then((data) => this.#opened(object, data, key));
  }

  /** Monitors the plugin until the signal aborts. The first check is done when this returns. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#checkQuietly();
    void this.#watch(signal);
  }

  /** Throws why the plugin is unusable now; calls it unless it was called a moment ago. */
  async check(): Promise<void> {
    const known = this.#checked;
    if (known === undefined || known.untilMs <= this.#options.clock.now()) {
      await (this.#checking ??= this.#checkNow().finally(() => (this.#checking = undefined)));
    }
    const failure = this.#checked?.failure;
    if (failure !== undefined) throw failure;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isWell = this.#checked?.failure === undefined;
      await this.#options.clock.sleep(isWell ? HEALTHY_INTERVAL_MS : UNHEALTHY_INTERVAL_MS, signal);
      if (!signal.aborted) await this.#checkQuietly();
    }
  }

  async #checkQuietly(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      const { log, name } = this.#options;
      log.error('kms plugin failed health check probe', { name, error: messageOf(error) });
    }
  }

  async #checkNow(): Promise<void> {
    const { service, name, clock } = this.#options;
    let failure: Error | undefined;
    try {
      const status = await service.status().catch((cause: unknown) => {
        const what = `failed to perform status section of the healthz check for KMS Provider ${name}`;
        throw new Error(`${what}, error: ${messageOf(cause)}`, { cause });
      });
      await this.#follow(status);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    const ttlMs = failure === undefined ? HEALTHY_TTL_MS : UNHEALTHY_TTL_MS;
    this.#checked = { untilMs: clock.now() + ttlMs, failure };
  }

  /** Validates a plugin's status, and uses its key for new writes. */
  async #follow({ version, healthz, keyId }: KmsStatus): Promise<void> {
    const problems: string[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${healthz}`);
    if (version !== 'v2' && version !== 'v2beta1') problems.push(`expected KMSv2 API version v2, got ${version}`);
    else if (version !== (this.#version ??= version))
      problems.push(
        `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`,
      );
    const problem = keyIdProblem(keyId);
    if (problem !== undefined)
      problems.push(`got invalid KMSv2 KeyID hash ${JSON.stringify(hashOf(keyId))}: ${problem}`);
    else await this.#rotate(keyId).catch((error: unknown) => problems.push(messageOf(error)));
    if (problems.length === 0) return;
    const summary = problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`;
    throw new Error(`kmsv2 Provider ${this.#options.name} is not healthy, error: ${summary}`);
  }

  async #rotate(keyId: string): Promise<void> {
    const { clock, service, onRotated } = this.#options;
    const expiresMs = clock.now() + WRITING_KEY_TTL_MS;
    if (this.#writing?.encrypted.keyId === keyId) {
      this.#writing.expiresMs = expiresMs;
      return;
    }
    const seed = secureBytes(SEED_BYTES);
    let encrypted: EncryptedKey;
    try {
      encrypted = await service.encrypt(seed);
      checkEncryptedKey(encrypted);
    } catch (cause) {
      throw new Error(`failed to rotate DEK: failed to encrypt DEK, error: ${messageOf(cause)}`, { cause });
    }
    if (encrypted.keyId !== keyId) {
      const [said, used] = [hashOf(keyId), hashOf(encrypted.keyId)];
      throw new Error(`failed to rotate DEK: statusKeyIDHash="${said}", encryptKeyIDHash="${used}"`);
    }
    const data = dataKey(seed, 'seed');
    this.#writing = { data, encrypted, expiresMs };
    this.#keep(cacheName({ key: encrypted, use: 'seed' }), data);
    onRotated();
  }

  #opened({ data, key, use }: EncryptedObject, known: DataKey, place: string): OpenedValue {
    return { value: known.open(data, place), isStale: use !== 'seed' || key.keyId !== this.#writing?.encrypted.keyId };
  }

  #ask(name: string, { key, use }: EncryptedObject): Promise<DataKey> {
    const asked = this.#asked.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#decrypt(key)
      .then((secret) => this.#keep(name, dataKey(secret, use)))
      .finally(() => this.#asked.delete(name));
    this.#asked.set(name, asking);
    return asking;
  }

  async #decrypt(key: EncryptedKey): Promise<Uint8Array> {
    try {
      return await this.#options.service.decrypt(key);
    } catch (cause) {
      throw new Error(`failed to decrypt DEK, error: ${messageOf(cause)}`, { cause });
    }
  }

  /** Evicts the oldest key. */
  #keep(name: string, key: DataKey): DataKey {
    if (this.#keys.size >= MAX_KEYS) for (const [oldest] of [...this.#keys].slice(0, 1)) this.#keys.delete(oldest);
    this.#keys.set(name, key);
    return key;
  }
}

/** In upstream's words. */
const NO_KEY = 'got unexpected nil transformer';

/** Distinguishes keys by everything that is sent to a plugin. */
function cacheName({ key, use }: Pick<EncryptedObject, 'key' | 'use'>): string {
  const annotations = Object.entries(key.annotations)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return JSON.stringify([use, Buffer.from(key.ciphertext).toString('base64'), key.keyId, annotations]);
}

function hashOf(keyId: string): string {
  return keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`;
}

function goTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
