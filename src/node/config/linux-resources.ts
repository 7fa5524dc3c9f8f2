// Resource limits of a container, in the kernel's units.
import type { Observed, Pod } from '../../client/index.ts';
import { amountsOf, podRequests } from '../../api/meaning/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { LinuxContainerResources } from '../runtime/index.ts';

const PERIOD_MICROSECONDS = 100_000;
const MIN_QUOTA = 1000;
const SHARES_PER_CPU = 1024;
const SHARES = { least: 2, most: 262_144 };
/** OOM scores of the containers that are killed last and first when memory runs out. */
const GUARANTEED = -997;
const BEST_EFFORT = 1000;

export function linuxResources(
  pod: Observed<Pod>,
  container: ContainerSpec,
  /** Of the node. */
  capacity: Readonly<Record<string, string>>,
): LinuxContainerResources {
  const requests = amountsOf(container.resources?.requests);
  const limits = amountsOf(container.resources?.limits);
  const podLimits = amountsOf(pod.spec?.resources?.limits);
  const limit = (name: string): number => {
    const amount = (limits.get(name)?.sign ?? 0) === 0 ? podLimits.get(name) : limits.get(name);
    return (name === 'cpu' ? amount?.milliValue() : amount?.value()) ?? 0;
  };
  return {
    cpuShares: shares(requests.get('cpu')?.milliValue() ?? limit('cpu')),
    cpuPeriod: PERIOD_MICROSECONDS,
    cpuQuota: quota(limit('cpu')),
    memoryLimitInBytes: limit('memory'),
    oomScoreAdj: oomScore(pod, container, capacity),
    hugepageLimits: Object.keys(capacity)
      .filter((name) => name.startsWith('hugepages-'))
      .map((name) => ({ pageSize: pageSize(name), limit: limit(name) })),
  };
}

function shares(milliCpu: number): number {
  const wanted = Math.trunc((milliCpu * SHARES_PER_CPU) / 1000);
  return Math.min(Math.max(wanted, SHARES.least), SHARES.most);
}

function quota(milliCpu: number): number {
  return milliCpu === 0 ? 0 : Math.max(Math.trunc((milliCpu * PERIOD_MICROSECONDS) / 1000), MIN_QUOTA);
}

/** `2MB` for `hugepages-2Mi`. */
function pageSize(name: string): string {
  return name.slice('hugepages-'.length).replace(/i$/, 'B');
}

/** For burstable pods: the more of the node's memory a container requests, the lower its OOM score. */
function oomScore(pod: Observed<Pod>, container: ContainerSpec, capacity: Readonly<Record<string, string>>): number {
  if (pod.spec?.priorityClassName === 'system-node-critical' || pod.status?.qosClass === 'Guaranteed')
    return GUARANTEED;
  if (pod.status?.qosClass !== 'Burstable') return BEST_EFFORT;
  const nodeMemory = amountsOf(capacity).get('memory')?.value() ?? Infinity;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const isSidecar = container.restartPolicy === 'Always' && initContainers.some(({ name }) => name === container.name);
  const share = spareMemory(pod) + memoryRequest(container);
  const least = spareMemory(pod) + Math.min(...containers.map(memoryRequest));
  const asked = isSidecar ? Math.max(share, least) : share;
  const score = BEST_EFFORT - Math.trunc((1000 * asked) / nodeMemory);
  return Math.min(Math.max(score, 1000 + GUARANTEED), BEST_EFFORT - 1);
}

/** The share of each container in what the pod requests beyond the requests of its containers. */
function spareMemory({ spec }: Observed<Pod>): number {
  const whole = amountsOf(spec?.resources?.requests).get('memory')?.value() ?? 0;
  if (whole === 0 || spec === undefined) return 0;
  const { resources: _resources, overhead: _overhead, ...rest } = spec;
  const used = podRequests({ spec: rest }).get('memory')?.value() ?? 0;
  return Math.trunc((whole - used) / (spec.containers.length + (spec.initContainers?.length ?? 0)));
}

function memoryRequest({ resources }: ContainerSpec): number {
  return amountsOf(resources?.requests).get('memory')?.value() ?? 0;
}
