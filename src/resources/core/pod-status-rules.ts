import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  type FieldError,
  forbiddenField,
  internalForms,
  invalidValue,
  isIpv4,
  legacyIpProblems,
  parseIp,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import { isNativeResource } from '../../api/meaning/index.ts';
import type {
  Container,
  NodeAllocatableResourceClaimStatus,
  Pod,
  PodCondition,
  PodExtendedResourceClaimStatus,
  PodResourceClaimStatus,
  PodSpec,
} from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkContainerStatuses, checkTransitions, couldAllRestart } from './container-status-rules.ts';
import { checkAnnotationChanges } from './pod-update-rules.ts';
import { amount } from './resource-list.ts';

const NEGATIVE = 'must be a non-negative integer';

/** The rules for a pod's status, which its node writes. */
export function checkPodStatusUpdate(pod: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const { spec, status } = pod;
  const was = old.status;
  const canAllRestart = couldAllRestart(old.spec);
  const transitions = (
    list: 'containerStatuses' | 'initContainerStatuses',
    containers: readonly Container[] = [],
  ): FieldError[] =>
    canAllRestart
      ? []
      : checkTransitions(
          { now: status[list] ?? [], was: was[list] ?? [], containers, spec: old.spec },
          `status.${list}`,
        );
  return [
    ...checkAnnotationChanges(pod, old),
    ...checkConditions(status.conditions ?? [], 'status.conditions'),
    ...checkNominated(pod, old),
    ...((status.observedGeneration ?? 0) < 0
      ? [invalidValue('status.observedGeneration', status.observedGeneration, NEGATIVE)]
      : []),
    ...((status.qosClass ?? '') === (was.qosClass ?? '')
      ? []
      : [invalidValue('status.qosClass', status.qosClass ?? '', 'field is immutable')]),
    ...transitions('containerStatuses', old.spec.containers),
    ...transitions('initContainerStatuses', old.spec.initContainers),
    ...checkTransitions(
      {
        now: status.ephemeralContainerStatuses ?? [],
        was: was.ephemeralContainerStatuses ?? [],
        containers: [],
        spec: undefined,
      },
      'status.ephemeralContainerStatuses',
    ),
    ...checkClaimStatuses(status.resourceClaimStatuses, spec, 'status.resourceClaimStatuses'),
    ...checkExtendedStatus(status.extendedResourceClaimStatus, spec, 'status.extendedResourceClaimStatus'),
    ...checkNodeClaims(pod, 'status.nodeAllocatableResourceClaimStatuses'),
    ...checkIps(pod, old, 'podIPs'),
    ...checkHostIps(pod, old),
    ...checkContainerStatuses(pod),
  ];
}

const OF_SYSTEM = new Set<string>(['PodScheduled', 'Ready', 'Initialized']);

/** The type is spelled as in upstream's messages. */
function checkConditions(conditions: readonly PodCondition[], field: string): FieldError[] {
  return conditions.flatMap(({ type = '', observedGeneration = 0 }, index) => [
    ...(observedGeneration < 0
      ? [invalidValue(`${field}[${index}].observedGeneration`, observedGeneration, NEGATIVE)]
      : []),
    ...(OF_SYSTEM.has(type)
      ? []
      : qualifiedNameProblems(type).map((problem) => invalidValue(`${field}[${index}].Type`, type, problem))),
  ]);
}

function checkNominated({ status }: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const name = status.nominatedNodeName ?? '';
  if (name === '' || name === (old.status.nominatedNodeName ?? '')) return [];
  const field = 'status.nominatedNodeName';
  const errors = dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
  if ((old.spec.nodeName ?? '') === '') return errors;
  return [...errors, forbiddenField(field, 'may not be set on pods that are already bound to a node')];
}

function checkClaimStatuses(
  statuses: readonly PodResourceClaimStatus[] | undefined,
  spec: PodSpec,
  field: string,
): FieldError[] {
  if (statuses === undefined) return [];
  const seen = new Set<string>();
  return statuses.flatMap(({ name = '', resourceClaimName }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (!(spec.resourceClaims ?? []).some((claim) => claim.name === name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
    if (resourceClaimName === undefined) return errors;
    return [...errors, ...checkClaimName(resourceClaimName, `${at}.resourceClaimName`)];
  });
}

function checkClaimName(name: string, field: string): FieldError[] {
  return dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkExtendedStatus(
  status: PodExtendedResourceClaimStatus | undefined,
  spec: PodSpec,
  field: string,
): FieldError[] {
  if (status === undefined) return [];
  const { resourceClaimName: name = '' } = status;
  const mappings = (status.requestMappings as typeof status.requestMappings | null) ?? [];
  const containers = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((container) => [container.name, container]),
  );
  const seen = new Set<string>();
  const places = 'spec.initContainers';
  const found = mappings.flatMap(({ containerName = '', resourceName = '', requestName = '' }, index) => {
    const at = `${field}.requestMappings[${index}]`;
    const container = containers.get(containerName);
    const errors: FieldError[] = [];
    if (container === undefined) {
      const detail = `must match the name of an entry in ${places}.name or spec.containers.name`;
      errors.push(invalidValue(`${at}.containerName`, containerName, detail));
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const what = `the extended resource name of an entry in ${places}.resources.requests`;
      errors.push(
        invalidValue(`${at}.resourceName`, resourceName, `must match ${what} or spec.containers.resources.requests`),
      );
    }
    for (const problem of dns1123LabelProblems(requestName)) {
      errors.push(invalidValue(`${field}.requestName`, requestName, problem));
    }
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      errors.push(
        duplicate(`${at}.containerName`, containerName),
        duplicate(`${at}.resourceName`, resourceName),
        duplicate(`${at}.requestName`, requestName),
      );
    }
    seen.add(key);
    return errors;
  });
  return [
    ...(mappings.length === 0
      ? [required(`${field}.requestMappings`, 'at least one request mapping is required')]
      : []),
    ...found,
    ...(name === '' ? [required(`${field}.resourceClaimName`)] : checkClaimName(name, `${field}.resourceClaimName`)),
  ];
}

function checkNodeClaims({ spec, status }: Whole<Pod>, field: string): FieldError[] {
  if (status.nodeAllocatableResourceClaimStatuses === undefined) return [];
  const names = new Set([
    ...(spec.resourceClaims ?? []).map(({ resourceClaimName }) => resourceClaimName),
    ...(status.resourceClaimStatuses ?? []).map(({ resourceClaimName }) => resourceClaimName),
  ]);
  const check = (claim: NodeAllocatableResourceClaimStatus, at: string): FieldError[] => {
    const { resourceClaimName: name = '' } = claim;
    const containers = (claim.containers as typeof claim.containers | null) ?? [];
    const resources = (claim.resources as typeof claim.resources | null) ?? {};
    const EMPTY = 'must not be empty';
    return [
      ...(name === '' ? [required(`${at}.resourceClaimName`, EMPTY)] : []),
      ...(names.has(name) ? [] : [invalidValue(`${at}.resourceClaimName`, name, 'no mapping found in pod reference')]),
      ...(containers.length === 0 ? [required(`${at}.containers`, EMPTY)] : []),
      ...(Object.keys(resources).length === 0 ? [required(`${at}.resources`, EMPTY)] : []),
      ...Object.entries(resources).flatMap(([resource, text]) => {
        const key = `${at}.resources[${resource}]`;
        return [
          ...(isNativeResource(resource)
            ? []
            : [invalidValue(key, resource, 'must be a node allocatable resource name')]),
          ...(amount(text).sign < 0 ? [invalidValue(key, text, 'must be non-negative')] : []),
        ];
      }),
    ];
  };
  return status.nodeAllocatableResourceClaimStatuses.flatMap((claim, index) => check(claim, `${field}[${index}]`));
}

const TYPES = { podIPs: 'core.v1.PodIP', hostIPs: 'core.v1.HostIP' } as const;

/** At most one address of each family; those that were there before may stay as they are. */
function checkIps({ status }: Whole<Pod>, old: Whole<Pod>, list: 'podIPs' | 'hostIPs'): FieldError[] {
  if (status[list] === undefined) return [];
  const known = new Set(old.status[list]?.map(({ ip }) => ip));
  const field = `status.${list}`;
  const addresses = status[list].map(({ ip = '' }) => ip);
  const errors = addresses.flatMap((ip, index) =>
    known.has(ip) ? [] : legacyIpProblems(ip).map((problem) => invalidValue(`${field}[${index}]`, ip, problem)),
  );
  if (addresses.length < 2) return errors;
  const parsed = addresses.map((ip) => parseIp(ip));
  const broken = parsed.indexOf(undefined);
  if (broken >= 0) {
    const why = `invalid IP[${broken}]: ${addresses[broken]}`;
    errors.push({ reason: 'InternalError', field, detail: `failed to check for dual stack with error:${why}` });
  }
  const families = new Set(parsed.map((address) => address !== undefined && isIpv4(address)));
  if (broken < 0 && families.size === 2 && addresses.length === 2) return errors;
  const shown = internalForms(status[list], TYPES[list]);
  return [...errors, invalidValue(field, shown, 'may specify no more than one IP for each IP family')];
}

function checkHostIps(pod: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const { hostIPs = [], hostIP = '' } = pod.status;
  const first = hostIPs[0]?.ip ?? '';
  if (hostIPs.length === 0) return [];
  return [
    ...(hostIP === first ? [] : [invalidValue('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]),
    ...checkIps(pod, old, 'hostIPs'),
  ];
}
