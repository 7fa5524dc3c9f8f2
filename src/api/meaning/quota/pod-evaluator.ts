import { compareUtf8, type DeepReadonly } from '../../../base/index.ts';
import type { Container, Pod, PodAffinityTerm, ResourceRequirements } from '../../types/core/v1.d.ts';
import { millisOfGoSeconds } from '../../values/go-seconds.ts';
import { parseQuantity } from '../../values/parse-quantity.ts';
import { ValueError } from '../../values/value-error.ts';
import { amountsOf, podLimits, podRequests, type ResourceAmounts } from '../pod-resources.ts';
import { isFinished } from '../pod-state.ts';
import { isExtendedResource, isNativeResource, isPodLevelResource } from '../resource-names.ts';
import { ONE } from './amounts.ts';
import { countName, evaluatorOf } from './evaluator.ts';
import { fitsName, type ScopeRule } from './scopes.ts';

type SomePod = DeepReadonly<Pod>;

const COUNT = countName('', 'pods');
const REQUESTS = 'requests.';
const LIMITS = 'limits.';
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const HUGE_PAGES = 'hugepages-';
const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/';

const MEASURED = new Set([
  COUNT,
  'pods',
  ...['', REQUESTS, LIMITS].flatMap((prefix) => COMPUTE.map((name) => prefix + name)),
]);

/** If a quota counts these, every container must state them. */
const DEMANDED = ['', REQUESTS, LIMITS].flatMap((prefix) => ['cpu', 'memory'].map((name) => prefix + name));

/** The usage of pods: the pods themselves, and their requests and limits. */
export const podEvaluator = evaluatorOf<SomePod>({
  group: '',
  plural: 'pods',
  handles: ({ operation, subresource }) =>
    subresource === ''
      ? operation === 'CREATE' || operation === 'UPDATE'
      : subresource === 'resize' && operation === 'UPDATE',
  concerns: ({ operation, subresource }, pod, old) =>
    operation === 'CREATE' || subresource !== '' || hasDeadline(pod) !== hasDeadline(old),
  measures: (name) =>
    MEASURED.has(name) ||
    name.startsWith(HUGE_PAGES) ||
    name.startsWith(REQUESTS + HUGE_PAGES) ||
    isQuotaOfExtendedResource(name),
  usage: podUsage,
  fits,
  missing,
  setsFree: (pod, old, nowMs) =>
    hasOtherResources(pod, old) ||
    hasDeadline(pod) !== hasDeadline(old) ||
    (usesResources(old, nowMs) && !usesResources(pod, nowMs)),
});

/** Whether a quota limits requests of an extended resource or a device class. */
export function isQuotaOfExtendedResource(name: string): boolean {
  return name.startsWith(REQUESTS) && (!isNativeResource(name) || name.startsWith(REQUESTS + DEVICE_CLASS));
}

/** All stored pods are counted; their resources only until they have ended, or should have. */
export function podUsage(pod: SomePod, nowMs: number): ResourceAmounts {
  const usage = new Map([[COUNT, ONE]]);
  if (!usesResources(pod, nowMs)) return usage;
  return new Map([...usage, ...computeUsage(podRequests(pod), podLimits(pod))]);
}

function computeUsage(requests: ResourceAmounts, limits: ResourceAmounts): ResourceAmounts {
  const usage = new Map([['pods', ONE]]);
  for (const [name, amount] of requests) {
    if (COMPUTE.includes(name) || name.startsWith(HUGE_PAGES)) usage.set(name, amount).set(REQUESTS + name, amount);
    else if (isExtendedResource(name) || name.startsWith(DEVICE_CLASS)) usage.set(REQUESTS + name, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.includes(name)) usage.set(LIMITS + name, amount);
  return usage;
}

/** A terminating pod whose grace period is over must not block others, even if its node does not respond. */
function usesResources(pod: SomePod, nowMs: number): boolean {
  if (isFinished(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= Date.parse(deletionTimestamp) + millisOfGoSeconds(deletionGracePeriodSeconds);
}

function fits(pod: SomePod, rule: ScopeRule): boolean {
  switch (rule.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return fitsName(rule, pod.spec?.priorityClassName || undefined);
    case 'CrossNamespacePodAffinity':
      return looksIntoNamespaces(pod);
    default:
      return false;
  }
}

function hasDeadline({ spec }: SomePod): boolean {
  return spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
}

function isBestEffort({ spec, status }: SomePod): boolean {
  if (status?.qosClass !== undefined) return status.qosClass === 'BestEffort';
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources);
  const all = spec?.resources === undefined ? containers : [spec.resources];
  return !all.some((resources) => asksFor(resources, 'requests') || asksFor(resources, 'limits'));
}

function asksFor(resources: DeepReadonly<ResourceRequirements> | undefined, what: 'requests' | 'limits'): boolean {
  return ['cpu', 'memory'].some((name) => {
    const quantity = parseQuantity(resources?.[what]?.[name] ?? '0');
    return !(quantity instanceof ValueError) && quantity.sign > 0;
  });
}

function looksIntoNamespaces({ spec }: SomePod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity): DeepReadonly<PodAffinityTerm>[] => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}

/** `must specify limits.cpu for: a,b; requests.cpu for: a`. Pod-level amounts cover all containers. */
function missing({ spec }: SomePod, names: ReadonlySet<string>): string | undefined {
  const { requests, limits } = spec?.resources ?? {};
  if (Object.keys({ ...requests, ...limits }).some(isPodLevelResource)) return undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const silent = DEMANDED.filter((name) => names.has(name))
    .sort(compareUtf8)
    .map((name) => [name, containers.filter((each) => !states(each, name)).map((each) => each.name)] as const)
    .filter(([, who]) => who.length > 0);
  if (silent.length === 0) return undefined;
  const texts = silent.map(([name, who]) => `${name} for: ${[...new Set(who)].sort(compareUtf8).join(',')}`);
  return `must specify ${texts.join('; ')}`;
}

function states({ resources }: DeepReadonly<Container>, name: string): boolean {
  return computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits)).has(name);
}

/** Whether the actual resources of containers have changed, as after a resize. */
function hasOtherResources({ status }: SomePod, { status: old }: SomePod): boolean {
  const of = (statuses: typeof status): Map<string, string> =>
    new Map(
      [...(statuses?.containerStatuses ?? []), ...(statuses?.initContainerStatuses ?? [])].map(
        ({ name, resources }) => [name, JSON.stringify(resources)],
      ),
    );
  const now = of(status);
  return [...of(old)].some(([name, resources]) => now.has(name) && now.get(name) !== resources);
}
