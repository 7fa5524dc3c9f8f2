import { isExtendedResource, isNativeResource, isPodLevelResource } from '../../api/meaning/index.ts';
import {
  dns1123LabelProblems,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  missing,
  notSupported,
  parseQuantity,
  qualifiedNameProblems,
  required,
  ValueError,
} from '../../api/index.ts';
import type { ResourceClaim, ResourceRequirements } from '../../api/types/core/v1.d.ts';
import { amount } from './resource-list.ts';

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

export function isQuotaHugepages(name: string): boolean {
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
  pod: { readonly claims: ReadonlySet<string> },
): FieldError[] {
  return checkResources(resources ?? {}, field, { ...pod, checkName: checkContainerResourceName });
}

/** Resources of a pod as a whole. */
const POD_RESOURCES = ['cpu', HUGEPAGES, 'memory'];

/** The same for a pod as a whole. */
export function checkPodRequirements(
  resources: ResourceRequirements,
  field: string,
  pod: { readonly claims: ReadonlySet<string> },
): FieldError[] {
  return checkResources(resources, field, { ...pod, checkName: checkPodResourceName });
}

function checkPodResourceName(name: string, field: string): FieldError[] {
  const errors = checkResourceName(name, field);
  if (errors.length > 0 || isPodLevelResource(name)) return errors;
  return [notSupported(field, name, POD_RESOURCES)];
}

interface ResourceCheck {
  readonly claims: ReadonlySet<string>;
  checkName(name: string, field: string): FieldError[];
}

function checkResources(resources: ResourceRequirements, field: string, check: ResourceCheck): FieldError[] {
  const { limits = {}, requests = {}, claims = [] } = resources;
  const common = (name: string, text: string, at: string): FieldError[] => [
    ...check.checkName(name, at),
    ...checkResourceAmount(name, text, at),
  ];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const hasPages = names.some((name) => name.startsWith(HUGEPAGES));
  const hasBase = names.some((name) => name === 'cpu' || name === 'memory');
  return [
    ...Object.entries(limits).flatMap(([name, text]) => {
      const at = `${field}.limits[${name}]`;
      return [...common(name, text, at), ...checkPages(name, text, at)];
    }),
    ...Object.entries(requests).flatMap(([name, text]) => {
      const at = `${field}.requests[${name}]`;
      return [
        ...common(name, text, at),
        ...checkWithinLimit({ name, text, limit: limits[name] }, field),
        ...checkPages(name, text, at),
      ];
    }),
    ...(hasPages && !hasBase ? [forbiddenField(field, 'HugePages require cpu or memory')] : []),
    ...checkClaimNames(claims, `${field}.claims`, check.claims),
  ];
}

function checkWithinLimit(
  { name, text, limit }: { readonly name: string; readonly text: string; readonly limit: string | undefined },
  field: string,
): FieldError[] {
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
}

/** Amounts of huge pages are whole numbers of pages. */
function checkPages(name: string, text: string, field: string): FieldError[] {
  if (!name.startsWith(HUGEPAGES)) return [];
  const size = parseQuantity(name.slice(HUGEPAGES.length));
  if (!(size instanceof ValueError)) {
    const page = size.value();
    if (page > 0 && amount(text).value() % page === 0) return [];
  }
  return [invalidValue(field, text, `${text} is not positive integer multiple of ${name}`)];
}

/** Which of the pod's claims a container uses: a claim whole, or some of its requests. */
function checkClaimNames(claims: readonly ResourceClaim[], field: string, known: ReadonlySet<string>): FieldError[] {
  const used = new Set<string>();
  return claims.flatMap(({ name = '', request = '' }, index) => {
    const at = `${field}[${index}]`;
    if (name === '') return [required(at)];
    const errors: FieldError[] = [];
    if (used.has(name)) errors.push(duplicate(at, name));
    else {
      const key = request === '' ? name : `${name}/${request}`;
      if (request !== '') {
        const problems = dns1123LabelProblems(request);
        errors.push(...problems.map((problem) => invalidValue(`${at}.request`, request, problem)));
      }
      if (used.has(key)) errors.push(duplicate(at, key));
      else if (request === '') {
        const parts = [...used].filter((other) => other.startsWith(`${name}/`));
        errors.push(...parts.map(() => duplicate(at, name)));
      }
      used.add(key);
    }
    if (known.has(name)) return errors;
    const names = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
    return [...errors, missing(at, name, `must be one of the names in pod.spec.resourceClaims${names}`)];
  });
}
