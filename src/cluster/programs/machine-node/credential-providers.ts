import { type ConfigurationKind, FLAG, listOf, objectOf, readConfiguration, TEXT } from '../../../api/index.ts';
import { parseDuration } from '../../../base/index.ts';
import { runCredentialProgram } from '../../../linux/index.ts';
import type { CredentialPlugin } from '../../../node/index.ts';

interface Provider {
  readonly name?: string;
  readonly matchImages?: readonly string[];
  readonly defaultCacheDuration?: string;
  readonly apiVersion?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  readonly tokenAttributes?: {
    readonly serviceAccountTokenAudience?: string;
    readonly cacheType?: string;
    readonly requireServiceAccount?: boolean;
    readonly requiredServiceAccountAnnotationKeys?: readonly string[];
    readonly optionalServiceAccountAnnotationKeys?: readonly string[];
  };
}

const CONFIGURATION: ConfigurationKind = {
  group: 'kubelet.config.k8s.io',
  kind: 'CredentialProviderConfig',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  fields: (version) => ({
    providers: listOf(
      objectOf(`${version}.CredentialProvider`, {
        name: TEXT,
        matchImages: listOf(TEXT),
        defaultCacheDuration: TEXT,
        apiVersion: TEXT,
        args: listOf(TEXT),
        env: listOf(objectOf(`${version}.ExecEnvVar`, { name: TEXT, value: TEXT })),
        tokenAttributes: objectOf(`${version}.ServiceAccountTokenAttributes`, {
          serviceAccountTokenAudience: TEXT,
          cacheType: TEXT,
          requireServiceAccount: FLAG,
          requiredServiceAccountAnnotationKeys: listOf(TEXT),
          optionalServiceAccountAnnotationKeys: listOf(TEXT),
        }),
      }),
    ),
  }),
};

const API_VERSIONS: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `credentialprovider.kubelet.k8s.io/${version}`,
);

/** Reads a CredentialProviderConfig; `folder` has the programs, and `environment` is what they inherit. */
export function readCredentialProviders(
  text: string,
  { folder, environment }: { readonly folder: string; readonly environment: Readonly<Record<string, string>> },
): readonly CredentialPlugin[] {
  const { providers = [] }: { readonly providers?: readonly Provider[] } = readConfiguration(text, [CONFIGURATION], {
    isStrict: true,
  });
  if (providers.length === 0) throw new Error('providers: Required value: at least 1 item in plugins is required');
  const names = new Set<string>();
  return providers.map((provider, index) => {
    const path = `providers[${index}]`;
    const { name = '', matchImages = [], apiVersion = '', defaultCacheDuration, args = [] } = provider;
    if (name === '') throw new Error(`${path}.name: Required value: name is required`);
    if (/[/\s]/.test(name) || name === '.' || name === '..')
      throw new Error(`${path}.name: Invalid value: "${name}": must be the name of a program`);
    if (names.has(name)) throw new Error(`${path}.name: Duplicate value: "${name}"`);
    names.add(name);
    if (matchImages.length === 0)
      throw new Error(`${path}.matchImages: Required value: at least 1 item in matchImages is required`);
    if (!API_VERSIONS.includes(apiVersion))
      throw new Error(
        `${path}.apiVersion: Unsupported value: "${apiVersion}": supported values: ${API_VERSIONS.join(', ')}`,
      );
    if (defaultCacheDuration === undefined) throw new Error(`${path}.defaultCacheDuration: Required value`);
    const own = Object.fromEntries((provider.env ?? []).map((each) => [each.name ?? '', each.value ?? '']));
    const program = { name, folder, args, env: { ...environment, ...own } };
    return {
      name,
      matchImages,
      apiVersion,
      defaultCacheDuration: parseDuration(defaultCacheDuration),
      ...tokenAttributesOf(provider, path),
      run: (input: string) => runCredentialProgram(program, input),
    };
  });
}

function tokenAttributesOf({ tokenAttributes }: Provider, path: string): Pick<CredentialPlugin, 'tokenAttributes'> {
  if (tokenAttributes === undefined) return {};
  const { serviceAccountTokenAudience: audience = '', cacheType, requireServiceAccount } = tokenAttributes;
  if (audience === '') throw new Error(`${path}.tokenAttributes.serviceAccountTokenAudience: Required value`);
  if (cacheType !== 'Token' && cacheType !== 'ServiceAccount')
    throw new Error(
      `${path}.tokenAttributes.cacheType: Unsupported value: "${cacheType ?? ''}": supported values: "ServiceAccount", "Token"`,
    );
  if (requireServiceAccount === undefined)
    throw new Error(`${path}.tokenAttributes.requireServiceAccount: Required value`);
  return {
    tokenAttributes: {
      audience,
      cacheType,
      requireServiceAccount,
      requiredAnnotations: tokenAttributes.requiredServiceAccountAnnotationKeys ?? [],
      optionalAnnotations: tokenAttributes.optionalServiceAccountAnnotationKeys ?? [],
    },
  };
}
