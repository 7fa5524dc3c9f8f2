import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion } from '../../base/index.ts';
import { formatGroupVersion } from '../values/index.ts';
import type { GroupVersion } from '../values/index.ts';
import { knownGroupVersions } from './known-group-versions.ts';

/** The parsed `--runtime-config`: names such as `api/beta` or `batch/v1/cronjobs`, and the text after the `=`. */
export type RuntimeConfig = ReadonlyMap<string, string>;

/** An invalid `--runtime-config`; the message says why. */
export class RuntimeConfigError extends Error {
  override readonly name = 'RuntimeConfigError';
}

/** Parses `key=value,key=value`; a key without a value means `true`. Several flags are combined. */
export function parseRuntimeConfig(...flags: readonly string[]): RuntimeConfig {
  const config = new Map<string, string>();
  for (const pair of flags.flatMap((flag) => flag.split(','))) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = (equals < 0 ? pair : pair.slice(0, equals)).trim();
    const value = equals < 0 ? '' : pair.slice(equals + 1).trim();
    if (key === 'api/legacy') continue; // without effect for a long time
    config.set(/^(api\/)?v1(\/|$)/.test(key) ? '/v1' : key, value);
  }
  return config;
}

/** Which resources are served. */
export interface ApiEnablement {
  isServed(resource: GroupVersion & { readonly plural: string }): boolean;
}

/**
 * Computes what a `--runtime-config` enables: stable versions and those added to Kubernetes are served by default, alpha
 * and beta versions are not; then `api/all`, `api/ga`, `api/beta` and `api/alpha` apply in this order, then versions, then
 * single resources.
 *
 * Throws RuntimeConfigError if a value is not a boolean or a group or version does not exist.
 */
export function apiEnablement(
  config: RuntimeConfig,
  kubernetes: KubernetesVersion = DEFAULT_KUBERNETES_VERSION,
): ApiEnablement {
  const known = knownGroupVersions(kubernetes);
  validate(config, known);
  const stages = stagePreferences(config);
  const versions = new Map<string, boolean>();
  const resources = new Map<string, boolean>();
  for (const [key, value] of config) {
    if (stageKeys.has(key)) continue;
    const [group = '', version = '', plural] = key.split('/');
    const groupVersion = formatGroupVersion({ group, version });
    if (!known.some((each) => each.group === group && each.version === version))
      throw new RuntimeConfigError(`group version ${groupVersion} that has not been registered`);
    const isEnabled = parseBoolean(key, value);
    if (plural === undefined) {
      versions.set(groupVersion, isEnabled);
      continue;
    }
    if (plural !== plural.toLowerCase()) {
      throw new RuntimeConfigError(
        `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(plural)}`,
      );
    }
    resources.set(`${groupVersion}/${plural}`, isEnabled);
  }
  return {
    isServed: ({ group, version, plural }) => {
      const groupVersion = formatGroupVersion({ group, version });
      return (
        resources.get(`${groupVersion}/${plural}`) ??
        versions.get(groupVersion) ??
        stages(version) ??
        (isAdded({ group, version }) || /^v\d+$/.test(version))
      );
    },
  };
}

/** In the order in which they apply: the last match wins. */
const stageKeys: ReadonlyMap<string, RegExp> = new Map([
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]);

function stagePreferences(config: RuntimeConfig): (version: string) => boolean | undefined {
  const preferences: [RegExp, boolean][] = [];
  for (const [key, pattern] of stageKeys) {
    const value = config.get(key);
    if (value === undefined) continue;
    if (value !== 'true' && value !== 'false') throw new RuntimeConfigError(`invalid value ${key}=${value}`);
    preferences.push([pattern, value === 'true']);
  }
  return (version) => preferences.findLast(([pattern]) => pattern.test(version))?.[1];
}

/** Versions that Kubernetes no longer serves, and that are served here for clients that still use them. */
export const ADDED_VERSIONS: readonly string[] = ['apiextensions.k8s.io/v1beta1'];

function isAdded(version: GroupVersion): boolean {
  return ADDED_VERSIONS.includes(formatGroupVersion(version));
}

function validate(config: RuntimeConfig, knownVersions: readonly GroupVersion[]): void {
  if (config.size === 1 && config.get('api/all') === 'false') {
    throw new RuntimeConfigError('invalid runtime-config with only api/all=false');
  }
  const unknown = new Set<string>();
  for (const key of config.keys()) {
    if (stageKeys.has(key)) continue;
    const [group = '', version = '', ...rest] = key.split('/');
    if (!key.includes('/') || rest.length > 1) throw new RuntimeConfigError(`runtime-config invalid key ${key}`);
    if (!knownVersions.some((known) => known.group === group)) unknown.add(formatGroupVersion({ group, version }));
  }
  if (unknown.size > 0) throw new RuntimeConfigError(`unknown api groups ${[...unknown].sort().join(',')}`);
}

/** Booleans as Go's flags spell them; empty means true. */
function parseBoolean(key: string, value: string): boolean {
  if (value === '' || /^(1|t|T|true|TRUE|True)$/.test(value)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(value)) return false;
  throw new RuntimeConfigError(
    `invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`,
  );
}
