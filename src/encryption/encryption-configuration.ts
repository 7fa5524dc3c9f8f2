import { YamlBody } from '../api/index.ts';
import { ConfigMembers, DurationError, messageOf, parseGoDuration } from '../base/index.ts';

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

const API_VERSION = 'apiserver.config.k8s.io/v1';
const KIND = 'EncryptionConfiguration';
const KMS_TIMEOUT_MS = 3000;

/** Parses a configuration in YAML or JSON; unknown fields are refused. Messages never quote its contents. */
export function readEncryptionConfiguration(text: string): EncryptionConfiguration {
  let value: unknown;
  try {
    value = new YamlBody(text).untyped();
  } catch (cause) {
    throw new Error(`it is not YAML: ${messageOf(cause)}`, { cause });
  }
  const root = new ConfigMembers(value);
  const [apiVersion, kind] = [root.text('apiVersion'), root.text('kind')];
  if (kind === '' || apiVersion === '') throw new Error(`Object '${kind === '' ? 'Kind' : 'apiVersion'}' is missing`);
  if (kind !== KIND || apiVersion !== API_VERSION)
    throw new Error(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  const resources = root.list('resources').map((one) => ({
    resources: one.texts('resources'),
    providers: one.list('providers').map(readProvider),
  }));
  const unknown = root.unknown();
  if (unknown.length > 0)
    throw new Error(`strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`);
  return { resources };
}

const KEYED: readonly KeyedType[] = ['aesgcm', 'aescbc', 'secretbox'];

function readProvider(provider: ConfigMembers): readonly ProviderConfiguration[] {
  const found: ProviderConfiguration[] = [];
  for (const type of KEYED) {
    const keyed = provider.object(type);
    if (keyed === undefined) continue;
    found.push({
      type,
      keys: keyed.list('keys').map((key) => ({ name: key.text('name'), secret: key.text('secret') })),
    });
  }
  const kms = provider.object('kms');
  if (kms !== undefined) found.push(readKms(kms));
  if (provider.object('identity') !== undefined) found.push({ type: 'identity' });
  return found;
}

function readKms(kms: ConfigMembers): ProviderConfiguration {
  const timeout = kms.text('timeout');
  const apiVersion = kms.text('apiVersion');
  return {
    type: 'kms',
    name: kms.text('name'),
    apiVersion: apiVersion === '' ? 'v1' : apiVersion,
    endpoint: kms.text('endpoint'),
    timeoutMs: timeout === '' ? KMS_TIMEOUT_MS : milliseconds(timeout, kms.at('timeout')),
    cachesize: kms.integer('cachesize'),
  };
}

function milliseconds(text: string, path: string): number {
  try {
    return Number(parseGoDuration(text) / 1_000_000n);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new Error(`"${path}" is not a duration: ${error.message}`, { cause: error });
  }
}
