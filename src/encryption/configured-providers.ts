import { messageOf } from '../base/index.ts';
import { groupResource } from './check-configuration.ts';
import { EncryptionConfigError, type EncryptionParts } from './encryption-parts.ts';
import type { EncryptionConfiguration, KeyedType, ProviderConfiguration } from './encryption-configuration.ts';
import { KmsProvider } from './kms/kms-provider.ts';
import { KmsService } from './kms/kms-service.ts';
import { aesCbc, aesGcm } from './providers/aes.ts';
import { identity } from './providers/identity.ts';
import type { Provider } from './providers/provider.ts';
import { ProviderChain } from './providers/provider-chain.ts';
import { secretbox } from './providers/secretbox.ts';

export interface ProvidersParts extends EncryptionParts {
  onRotated(): void;
}

/** The providers that one configuration names, by resource. */
export class Providers implements AsyncDisposable {
  readonly #parts: ProvidersParts;
  readonly #byResource = new Map<string, Provider>();
  readonly #kms: { readonly provider: KmsProvider; readonly service: KmsService }[] = [];
  readonly #stop = new AbortController();

  constructor({ resources }: EncryptionConfiguration, parts: ProvidersParts) {
    this.#parts = parts;
    const chains = new Map<string, Provider[]>();
    for (const { resources: names, providers } of resources) {
      const made = providers.flat().map((provider) => this.#make(provider));
      for (const name of names) {
        const { resource, group } = groupResource(name);
        for (const earlier of [`*.${group}`, '*.*']) {
          const full = `${resource}.${group}`;
          if (chains.has(earlier))
            throw failed(`resource "${shown(full)}" is masked by earlier rule "${shown(earlier)}"`);
        }
        chains.set(`${resource}.${group}`, [...(chains.get(`${resource}.${group}`) ?? []), ...made]);
      }
    }
    for (const [name, chain] of chains)
      this.#byResource.set(name, new ProviderChain('', chain, 'no matching prefix found'));
  }

  get hasKms(): boolean {
    return this.#kms.length > 0;
  }

  /** Undefined for a resource that is not named. */
  for(resource: string, group: string): Provider | undefined {
    const all = this.#byResource;
    return all.get(`${resource}.${group}`) ?? all.get(`*.${group}`) ?? all.get('*.*');
  }

  /** Checks all plugins once; `check` reports their problems. */
  async start(): Promise<void> {
    await Promise.all(this.#kms.map(({ provider }) => provider.start(this.#stop.signal)));
  }

  /** Throws the plugins' problems. */
  async check(): Promise<void> {
    const problems: string[] = [];
    for (const [index, { provider }] of this.#kms.entries()) {
      await provider.check().catch((error: unknown) => problems.push(`kms-provider-${index}: ${messageOf(error)}`));
    }
    if (problems.length > 0) throw new Error(problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#kms.map(({ service }) => service[Symbol.asyncDispose]()));
  }

  #make(provider: ProviderConfiguration): Provider {
    if (provider.type === 'identity') return identity;
    if (provider.type === 'kms') return this.#makeKms(provider);
    const { maker, words } = KEYED[provider.type];
    const keys = provider.keys.map(({ name, secret }) => maker(`${name}:`, Buffer.from(secret, 'base64')));
    const noMatch = `no matching key was found for the provided ${words} transformer`;
    return new ProviderChain(`k8s:enc:${provider.type}:v1:`, keys, noMatch);
  }

  #makeKms({ name, apiVersion, endpoint, timeoutMs }: Extract<ProviderConfiguration, { type: 'kms' }>): Provider {
    if (apiVersion !== 'v2')
      throw failed(
        'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  ' +
          'Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
      );
    const service = new KmsService({ ...this.#parts, endpoint, timeoutMs });
    const { clock, log, onRotated } = this.#parts;
    const provider = new KmsProvider({ name, service, clock, log, onRotated });
    this.#kms.push({ provider, service });
    return provider;
  }
}

const KEYED: Readonly<Record<KeyedType, { maker(prefix: string, secret: Uint8Array): Provider; words: string }>> = {
  aesgcm: { maker: aesGcm, words: 'AES' },
  aescbc: { maker: aesCbc, words: 'AES' },
  secretbox: { maker: secretbox, words: 'Secretbox' },
};

function failed(why: string): EncryptionConfigError {
  return new EncryptionConfigError(`error while building transformers: ${why}`);
}

/** `secrets.` as `secrets`, but `*.` as it is. */
function shown(name: string): string {
  return name.endsWith('.') && name !== '*.' ? name.slice(0, -1) : name;
}
