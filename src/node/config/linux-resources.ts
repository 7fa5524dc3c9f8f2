// Resource limits of containers and pods, in the kernel's units.
import type { Observed, Pod } from '../../client/index.ts';
import { amountsOf, podLimits, podRequests, qosClassOf, type ResourceAmounts } from '../../api/meaning/index.ts';
import type { CgroupLimits } from '../backend/node-resources.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { LinuxContainerResources } from '../runtime/index.ts';
import { memoryQuality, podMemoryQuality } from './memory-quality.ts';
import { oomScore } from './oom-score.ts';
import { DEFAULT_RULES, type ResourceRules } from './resource-rules.ts';
import { swapLimits } from './swap-limits.ts';

const MIN_QUOTA = 1000;
const SHARES_PER_CPU = 1024;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;

/** What containers are limited by besides their pods. */
export interface ResourceSurroundings {
  /** Of the node. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly rules?: ResourceRules | undefined;
}

/** The limits of a container. The pod's spec has what it was allocated. */
export function linuxResources(
  pod: Observed<Pod>,
  container: ContainerSpec,
  { capacity, rules = DEFAULT_RULES }: ResourceSurroundings,
): LinuxContainerResources {
  const requests = amountsOf(container.resources?.requests);
  const limits = amountsOf(container.resources?.limits);
  const ofPod = amountsOf(pod.spec?.resources?.limits);
  const limit = (name: string): number => {
    const amount = (limits.get(name)?.sign ?? 0) === 0 ? ofPod.get(name) : limits.get(name);
    return (name === 'cpu' ? amount?.milliValue() : amount?.value()) ?? 0;
  };
  const memoryLimitInBytes = limit('memory');
  const unified = {
    ...(rules.cgroupVersion === 2 && rules.killsWholeContainer ? { 'memory.oom.group': '1' } : {}),
    ...memoryQuality(pod, container, rules),
  };
  const { unified: swapFiles, ...swap } = swapLimits(pod, container, { rules, capacity, memoryLimitInBytes });
  const files = { ...unified, ...swapFiles };
  return {
    cpuShares: shares(requests.get('cpu')?.milliValue() ?? limit('cpu')),
    cpuPeriod: rules.hasCpuQuota ? rules.cpuPeriodMicroseconds : 0,
    cpuQuota: rules.hasCpuQuota ? quota(limit('cpu'), rules.cpuPeriodMicroseconds) : 0,
    memoryLimitInBytes,
    oomScoreAdj: oomScore(pod, container, capacity),
    hugepageLimits: Object.keys(capacity)
      .filter((name) => name.startsWith(HUGE_PAGES))
      .map((name) => ({ pageSize: pageSize(name), limit: limit(name) })),
    ...swap,
    ...(Object.keys(files).length === 0 ? {} : { unified: files }),
  };
}

/** The limits of a sandbox as a whole, for runtimes that size virtual machines; what containers and overhead need is apart. */
export function sandboxResources(
  { spec }: Observed<Pod>,
  rules: ResourceRules = DEFAULT_RULES,
): { readonly resources: LinuxContainerResources; readonly overhead: LinuxContainerResources } {
  const { overhead, ...rest } = spec ?? { containers: [] };
  const extra = amountsOf(overhead);
  return {
    resources: plainResources(podRequests({ spec: rest }), podLimits({ spec: rest }), rules),
    overhead: overhead === undefined ? NO_RESOURCES : plainResources(extra, extra, rules),
  };
}

const NO_RESOURCES: LinuxContainerResources = {
  cpuShares: 0,
  cpuPeriod: 0,
  cpuQuota: 0,
  memoryLimitInBytes: 0,
  oomScoreAdj: 0,
  hugepageLimits: [],
};

function plainResources(
  requests: ResourceAmounts,
  limits: ResourceAmounts,
  { hasCpuQuota, cpuPeriodMicroseconds }: ResourceRules,
): LinuxContainerResources {
  const cpuLimit = limits.get('cpu')?.milliValue() ?? 0;
  return {
    ...NO_RESOURCES,
    cpuShares: shares(requests.get('cpu')?.milliValue() ?? cpuLimit),
    cpuPeriod: hasCpuQuota ? cpuPeriodMicroseconds : 0,
    cpuQuota: hasCpuQuota ? quota(cpuLimit, cpuPeriodMicroseconds) : 0,
    memoryLimitInBytes: limits.get('memory')?.value() ?? 0,
  };
}

/** The limits of a pod's cgroup. A burstable pod is limited only in what all its containers are. */
export function podCgroupLimits(pod: Observed<Pod>, rules: ResourceRules = DEFAULT_RULES): CgroupLimits {
  const spec = pod.spec ?? { containers: [] };
  const qosClass = qosClassOf(pod);
  const requests = podRequests({ spec });
  const limits = podLimits({ spec });
  const hugePages = new Map<number, number>();
  for (const [name, amount] of requests)
    if (name.startsWith(HUGE_PAGES)) hugePages.set(pageBytes(name), amount.value());
  const protection = podMemoryQuality(pod, requests.get('memory')?.value() ?? 0, rules);
  const rest = { hugePages, ...(protection === undefined ? {} : { unified: protection }) };
  if (qosClass === 'BestEffort') return { cpuShares: MIN_SHARES, ...rest };
  const isLimited = (name: string): boolean => qosClass === 'Guaranteed' || isLimitedEverywhere(pod, name);
  const cpuQuota = rules.hasCpuQuota
    ? quota(limits.get('cpu')?.milliValue() ?? 0, rules.cpuPeriodMicroseconds)
    : NO_LIMIT;
  return {
    cpuShares: shares(requests.get('cpu')?.milliValue() ?? 0),
    ...(isLimited('cpu') ? { cpuQuota, cpuPeriod: rules.cpuPeriodMicroseconds } : {}),
    ...(isLimited('memory') ? { memory: limits.get('memory')?.value() ?? 0 } : {}),
    ...rest,
  };
}

const NO_LIMIT = -1;
const HUGE_PAGES = 'hugepages-';

function isLimitedEverywhere({ spec }: Observed<Pod>, name: string): boolean {
  const has = (limits: Readonly<Record<string, string>> | undefined): boolean =>
    (amountsOf(limits).get(name)?.sign ?? 0) > 0;
  if (has(spec?.resources?.limits)) return true;
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].every(({ resources }) =>
    has(resources?.limits),
  );
}

/** The weight of a number of thousandths of a processor. */
export function shares(milliCpu: number): number {
  const wanted = Math.trunc((milliCpu * SHARES_PER_CPU) / 1000);
  return Math.min(Math.max(wanted, MIN_SHARES), MAX_SHARES);
}

function quota(milliCpu: number, period: number): number {
  return milliCpu === 0 ? 0 : Math.max(Math.trunc((milliCpu * period) / 1000), MIN_QUOTA);
}

/** `2MB` for `hugepages-2Mi`. */
function pageSize(name: string): string {
  return name.slice(HUGE_PAGES.length).replace(/i$/, 'B');
}

function pageBytes(name: string): number {
  const size = name.slice(HUGE_PAGES.length);
  return amountsOf({ size }).get('size')?.value() ?? 0;
}
