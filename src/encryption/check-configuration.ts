import { type FieldError, invalidValue, invalidWhole, required } from '../api/index.ts';
import type {
  EncryptionConfiguration,
  KeyConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './encryption-configuration.ts';

/** Problems of a configuration, in upstream's words; secrets are not quoted. */
export function checkConfiguration({ resources }: EncryptionConfiguration): readonly FieldError[] {
  if (resources.length === 0) return [required('resources', 'at least one resources is required')];
  const kmsNames = new Set<string>();
  return resources.flatMap(({ resources: names, providers }, index) => {
    const [resourcesAt, providersAt] = [`resources[${index}].resources`, `resources[${index}].providers`];
    return [
      ...(names.length === 0 ? [required(resourcesAt, `at least one ${resourcesAt} is required`)] : []),
      ...checkOverlap(names, resourcesAt),
      ...names.flatMap((name, at) => checkName(name, `${resourcesAt}[${at}]`)),
      ...(providers.length === 0 ? [required(providersAt, `at least one ${providersAt} is required`)] : []),
      ...providers.flatMap((found, at) => checkProvider(found, `${providersAt}[${at}]`, kmsNames)),
    ];
  });
}

/** `secrets` and `widgets.acme.dev` as resource and group. */
export function groupResource(name: string): { readonly resource: string; readonly group: string } {
  const dot = name.indexOf('.');
  return dot < 0 ? { resource: name, group: '' } : { resource: name.slice(0, dot), group: name.slice(dot + 1) };
}

function checkOverlap(names: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const parsed = names.map(groupResource);
  const byGroup = new Map<string, number>();
  for (const { group } of parsed) byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
  const different = new Set(parsed.map(({ resource, group }) => `${resource}.${group}`));
  if (different.size < names.length)
    errors.push(invalidValue(path, names, 'the same resource cannot be specified multiple times'));
  const isOverlapping = parsed.some(({ resource, group }) => {
    if (resource !== '*') return false;
    return (group === '*' ? names.length : (byGroup.get(group) ?? 0)) > 1;
  });
  if (isOverlapping && different.size > 1) {
    const detail =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    errors.push(invalidValue(path, names, detail));
  }
  return errors;
}

const NOT_SERVED = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']);

function checkName(name: string, path: string): FieldError[] {
  const detail = nameProblem(name);
  return detail === undefined ? [] : [invalidValue(path, name, detail)];
}

function nameProblem(name: string): string | undefined {
  const { resource, group } = groupResource(name);
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (NOT_SERVED.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function checkProvider(found: readonly ProviderConfiguration[], path: string, kmsNames: Set<string>): FieldError[] {
  const [provider, second] = found;
  if (provider === undefined) {
    const all = 'KMS, AESGCM, AESCBC, Secretbox, Identity';
    return [invalidWhole(path, `provider does not contain any of the expected providers: ${all}`)];
  }
  if (second !== undefined) {
    const detail = 'more than one provider specified in a single element, should split into different list elements';
    return [invalidWhole(path, detail)];
  }
  switch (provider.type) {
    case 'identity':
      return [];
    case 'kms':
      return checkKms(provider, `${path}.kms`, kmsNames);
    default:
      return checkKeys(
        provider.keys,
        `${path}.${provider.type}.keys`,
        provider.type === 'secretbox' ? [32] : [16, 24, 32],
      );
  }
}

function checkKeys(keys: readonly KeyConfiguration[], path: string, lengths: readonly number[]): FieldError[] {
  if (keys.length === 0) return [required(path, 'at least one keys is required')];
  return keys.flatMap(({ name, secret }, index) => {
    const at = `${path}[${index}]`;
    const errors = name === '' ? [required(`${at}.name`, 'name is a mandatory field for a key')] : [];
    if (secret === '') return [...errors, required(`${at}.secret`, 'secret is a mandatory field for a key')];
    const bytes = Buffer.from(secret, 'base64');
    if (bytes.toString('base64') !== secret.replaceAll(/[\r\n]/g, ''))
      return [...errors, invalidValue(`${at}.secret`, 'REDACTED', 'secrets must be base64 encoded')];
    if (lengths.includes(bytes.length)) return errors;
    const detail = `secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`;
    return [...errors, invalidValue(`${at}.secret`, 'REDACTED', detail)];
  });
}

function checkKms(kms: KmsConfiguration, path: string, names: Set<string>): FieldError[] {
  const { name, apiVersion, endpoint, timeoutMs, cachesize } = kms;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${path}.name`, 'name is a mandatory field for a provider'));
  if (apiVersion !== 'v1' && name.includes(':'))
    errors.push(invalidValue(`${path}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`));
  if (names.has(name))
    errors.push(invalidValue(`${path}.name`, name, `duplicate KMS provider name ${name}, names must be unique`));
  names.add(name);
  if (timeoutMs <= 0)
    errors.push(invalidValue(`${path}.timeout`, `${timeoutMs / 1000}s`, 'timeout should be a positive value'));
  errors.push(...checkEndpoint(endpoint, `${path}.endpoint`));
  if (apiVersion !== 'v1' && cachesize !== undefined)
    errors.push(invalidValue(`${path}.cachesize`, cachesize, 'cachesize is not supported in v2'));
  if (apiVersion !== 'v1' && apiVersion !== 'v2') {
    const detail = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported';
    errors.push(invalidValue(`${path}.apiVersion`, apiVersion, detail));
  }
  return errors;
}

function checkEndpoint(endpoint: string, path: string): FieldError[] {
  if (endpoint === '') return [invalidValue(path, '', 'endpoint is a mandatory field for a kms')];
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(endpoint) ?? [];
  if (scheme === 'unix') return [];
  const detail = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`;
  return [invalidValue(path, endpoint, detail)];
}
