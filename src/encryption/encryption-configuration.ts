import {
  type ConfigurationKind,
  DURATION,
  INTEGER,
  listOf,
  objectOf,
  readConfiguration,
  TEXT,
  UnknownConfigurationKind,
} from '../api/index.ts';
import { parseGoDuration } from '../base/index.ts';

/** A named key; the secret is Base64. */
export interface KeyConfiguration {
  readonly name: string;
  readonly secret: string;
}

export type KeyedType = 'aesgcm' | 'aescbc' | 'secretbox';

export type ProviderConfiguration =
  | { readonly type: KeyedType; readonly keys: readonly KeyConfiguration[] }
  | { readonly type: 'identity' }
  | ({ readonly type: 'kms' } & KmsConfiguration);

export interface KmsConfiguration {
  readonly name: string;
  readonly apiVersion: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly cachesize: number | undefined;
}

/** Resources and their providers: the first provider writes, all of them read. */
export interface ResourceConfiguration {
  /** Such as `secrets`, `widgets.acme.dev`, `*.apps`, `*.` for the core group and `*.*` for everything. */
  readonly resources: readonly string[];
  /** More than one provider in one entry is a mistake that validation reports. */
  readonly providers: readonly (readonly ProviderConfiguration[])[];
}

/** An EncryptionConfiguration of `apiserver.config.k8s.io/v1`. */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[];
}

/** The file as written: absent members are undefined. */
interface WrittenFile {
  readonly resources?: readonly {
    readonly resources?: readonly string[];
    readonly providers?: readonly WrittenProvider[];
  }[];
}

type WrittenProvider = { readonly [type in KeyedType]?: { readonly keys?: readonly Partial<KeyConfiguration>[] } } & {
  readonly kms?: WrittenKms;
  readonly identity?: object;
};

interface WrittenKms {
  readonly apiVersion?: string;
  readonly name?: string;
  readonly cachesize?: number;
  readonly endpoint?: string;
  readonly timeout?: string;
}

const CONFIGURATION: ConfigurationKind = {
  group: 'apiserver.config.k8s.io',
  kind: 'EncryptionConfiguration',
  versions: ['v1'],
  fields: (version) => {
    const keys = listOf(objectOf(`${version}.Key`, { name: TEXT, secret: TEXT }));
    const aes = objectOf(`${version}.AESConfiguration`, { keys });
    return {
      resources: listOf(
        objectOf(`${version}.ResourceConfiguration`, {
          resources: listOf(TEXT),
          providers: listOf(
            objectOf(`${version}.ProviderConfiguration`, {
              aesgcm: aes,
              aescbc: aes,
              secretbox: objectOf(`${version}.SecretboxConfiguration`, { keys }),
              identity: objectOf(`${version}.IdentityConfiguration`, {}),
              kms: objectOf(`${version}.KMSConfiguration`, {
                apiVersion: TEXT,
                name: TEXT,
                cachesize: INTEGER,
                endpoint: TEXT,
                timeout: DURATION,
              }),
            }),
          ),
        }),
      ),
    };
  },
};

const KEYED: readonly KeyedType[] = ['aesgcm', 'aescbc', 'secretbox'];
const DEFAULT_KMS_TIMEOUT = '3s';

/** Reads a configuration in YAML or JSON; unknown and duplicate fields are rejected. Messages never quote secrets. */
export function readEncryptionConfiguration(text: string): EncryptionConfiguration {
  const { resources = [] } = readFile(text);
  return {
    resources: resources.map(({ resources: names = [], providers = [] }) => ({
      resources: names,
      providers: providers.map(readProvider),
    })),
  };
}

function readFile(text: string): WrittenFile {
  try {
    return readConfiguration<WrittenFile>(text, [CONFIGURATION], { isStrict: true });
  } catch (cause) {
    if (!(cause instanceof UnknownConfigurationKind) || cause.missing === undefined) throw cause;
    // Upstream quotes the whole file here, and with it the keys.
    throw new Error(`Object '${cause.missing}' is missing`, { cause });
  }
}

function readProvider(provider: WrittenProvider): readonly ProviderConfiguration[] {
  const found: ProviderConfiguration[] = KEYED.flatMap((type) => {
    const keyed = provider[type];
    if (keyed === undefined) return [];
    return [{ type, keys: (keyed.keys ?? []).map(({ name = '', secret = '' }) => ({ name, secret })) }];
  });
  if (provider.kms !== undefined) found.push(readKms(provider.kms));
  if (provider.identity !== undefined) found.push({ type: 'identity' });
  return found;
}

function readKms(kms: WrittenKms): ProviderConfiguration {
  const { apiVersion = '', name = '', endpoint = '', timeout = DEFAULT_KMS_TIMEOUT, cachesize } = kms;
  return {
    type: 'kms',
    name,
    apiVersion: apiVersion === '' ? 'v1' : apiVersion,
    endpoint,
    timeoutMs: Number(parseGoDuration(timeout) / 1_000_000n),
    cachesize,
  };
}
