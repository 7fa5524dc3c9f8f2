import { isExtendedResource, isNativeResource } from '../../api/meaning/index.ts';
import { type FieldError, forbiddenField, invalidValue, qualifiedNameProblems, required } from '../../api/index.ts';
import type { ResourceRequirements } from '../../api/types/core/v1.d.ts';
import { amount, type ResourceList } from './resource-list.ts';

const HUGEPAGES = 'hugepages-';
const NEGATIVE = 'must be greater than or equal to 0';
const NOT_INTEGER = 'must be an integer';

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** The resources of containers: plain, as total requests and as total limits. */
export const COMPUTE_RESOURCES: readonly string[] = ['', 'requests.', 'limits.'].flatMap((prefix) =>
  [...CONTAINER_RESOURCES].map((name) => prefix + name),
);

/** Resources that count objects or parts of them. */
export const COUNTED_RESOURCES: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];

const STANDARD_RESOURCES = new Set([...COMPUTE_RESOURCES, ...COUNTED_RESOURCES, 'storage', 'requests.storage']);

function mayOvercommit(name: string): boolean {
  return isNativeResource(name) && !name.startsWith(HUGEPAGES);
}

/** A valid resource name of any kind. */
export function checkResourceName(name: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, name, problem));
  if (name.includes('/') || STANDARD_RESOURCES.has(name) || isQuotaHugepages(name)) return [];
  return [invalidValue(field, name, 'must be a standard resource type or fully qualified')];
}

function isQuotaHugepages(name: string): boolean {
  return name.startsWith(HUGEPAGES) || name.startsWith(`requests.${HUGEPAGES}`);
}

/** A resource name that containers can request. */
export function checkContainerResourceName(name: string, field: string): FieldError[] {
  const errors = checkResourceName(name, field);
  if (!name.includes('/')) {
    if (CONTAINER_RESOURCES.has(name) || name.startsWith(HUGEPAGES)) return errors;
    return [...errors, invalidValue(field, name, 'must be a standard resource for containers')];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, invalidValue(field, name, "doesn't follow extended resource name standard")];
}

export function checkResourceAmount(name: string, text: string, field: string): FieldError[] {
  const quantity = amount(text);
  const errors: FieldError[] = [];
  if (quantity.sign < 0) errors.push(invalidValue(field, text, NEGATIVE));
  const isWhole = COUNTED_RESOURCES.includes(name) || isExtendedResource(name);
  if (isWhole && quantity.scaledValue(-3) % 1000n !== 0n) errors.push(invalidValue(field, text, NOT_INTEGER));
  return errors;
}

/** The limits and requests of a container; a request must not exceed its limit. */
export function checkRequirements(
  resources: ResourceRequirements | undefined,
  field: string,
  options: { readonly claims: ReadonlySet<string> },
): FieldError[] {
  const { limits = {}, requests = {}, claims = [] } = resources ?? {};
  const check = (list: ResourceList, at: string): FieldError[] =>
    Object.entries(list).flatMap(([name, text]) => [
      ...checkContainerResourceName(name, `${at}[${name}]`),
      ...checkResourceAmount(name, text, `${at}[${name}]`),
    ]);
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const hasPages = names.some((name) => name.startsWith(HUGEPAGES));
  const hasBase = names.some((name) => name === 'cpu' || name === 'memory');
  return [
    ...check(limits, `${field}.limits`),
    ...check(requests, `${field}.requests`),
    ...checkWithinLimits({ limits, requests }, field),
    ...(hasPages && !hasBase ? [forbiddenField(field, 'HugePages require cpu or memory')] : []),
    ...claims.flatMap(({ name }, index) =>
      options.claims.has(name)
        ? []
        : [{ reason: 'FieldValueNotFound' as const, field: `${field}.claims[${index}]`, value: name, detail: '' }],
    ),
  ];
}

function checkWithinLimits({ limits = {}, requests = {} }: ResourceRequirements, field: string): FieldError[] {
  return Object.entries(requests).flatMap(([name, text]) => {
    const limit = limits[name];
    if (limit === undefined) {
      if (mayOvercommit(name)) return [];
      return [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
    }
    const order = amount(text).compare(amount(limit));
    if (order !== 0 && !mayOvercommit(name)) {
      return [invalidValue(`${field}.requests`, text, `must be equal to ${name} limit of ${limit}`)];
    }
    if (order <= 0) return [];
    return [invalidValue(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`)];
  });
}
