import { type FieldError, invalidValue, notSupported, qualifiedNameProblems, required } from '../../api/index.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../api/types/core/v1.d.ts';

/** Pod fields that environment variables may refer to. */
export const FIELDS_OF_ENV = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Pod fields that files of a downward API volume may refer to. */
export const FIELDS_OF_FILES = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const KNOWN_FIELDS = new Set([
  ...FIELDS_OF_ENV,
  ...FIELDS_OF_FILES,
  'spec.host',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** A pod field by its path, or one label or annotation by its key. */
export function checkFieldRef(
  { apiVersion = '', fieldPath }: ObjectFieldSelector,
  field: string,
  supported: readonly string[],
): FieldError[] {
  if (apiVersion === '') return [required(`${field}.apiVersion`)];
  if ((fieldPath ?? '') === '') return [required(`${field}.fieldPath`)];
  const unknown = (problem: string): FieldError[] => [
    invalidValue(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (apiVersion !== 'v1') return unknown(`unsupported pod version: ${apiVersion}`);
  const [, path = fieldPath, key] = /^(.+?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (key === undefined) {
    if (!KNOWN_FIELDS.has(path)) return unknown(`field label not supported: ${path}`);
    const shown = path === 'spec.host' ? 'spec.nodeName' : path;
    return supported.includes(shown) ? [] : [notSupported(`${field}.fieldPath`, shown, supported)];
  }
  if (path !== 'metadata.annotations' && path !== 'metadata.labels') {
    return unknown(`field label does not support subscript: ${fieldPath}`);
  }
  const name = path === 'metadata.annotations' ? key.toLowerCase() : key;
  return qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
}

const RESOURCE_FIELDS = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${list}.${name}`),
);
const BYTES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** A limit or request of a container, in units of the divisor. */
export function checkResourceFieldRef(
  { resource, containerName = '', divisor = '0' }: ResourceFieldSelector,
  field: string,
  { namesContainer }: { readonly namesContainer: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const isPages = /^(limits|requests)\.hugepages-/.test(resource);
  if (namesContainer && containerName === '') errors.push(required(`${field}.containerName`));
  else if ((resource ?? '') === '') errors.push(required(`${field}.resource`));
  else if (!isPages && !RESOURCE_FIELDS.includes(resource)) {
    errors.push(notSupported(`${field}.resource`, resource, RESOURCE_FIELDS));
  }
  const name = isPages ? 'hugepages' : NAMES_OF_RESOURCES[resource];
  if (name === undefined || divisor === '0') return errors;
  if (name === 'cpu') {
    if (divisor === '1' || divisor === '1m') return errors;
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
    return [...errors, invalidValue(`${field}.divisor`, resource, detail)];
  }
  if (BYTES.includes(divisor)) return errors;
  const detail = `only divisor's values ${BYTES.join(', ')} are supported with the ${name} resource`;
  return [...errors, invalidValue(`${field}.divisor`, resource, detail)];
}

const NAMES_OF_RESOURCES: Readonly<Record<string, string>> = {
  'limits.cpu': 'cpu',
  'requests.cpu': 'cpu',
  'limits.memory': 'memory',
  'requests.memory': 'memory',
  'limits.ephemeral-storage': 'local ephemeral storage',
  'requests.ephemeral-storage': 'local ephemeral storage',
};
