// Protection and throttling of memory with cgroup v2 (KEP-2570).
import type { Observed, Pod } from '../../client/index.ts';
import { amountsOf, qosClassOf } from '../../api/meaning/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { ResourceRules } from './resource-rules.ts';

const PAGE_BYTES = 4096;

/** The files of a container's cgroup that protect and throttle its memory. */
export function memoryQuality(
  pod: Observed<Pod>,
  { resources }: ContainerSpec,
  { memoryQuality: quality, cgroupVersion }: ResourceRules,
): Readonly<Record<string, string>> {
  if (quality === undefined || cgroupVersion !== 2) return {};
  const request = amountsOf(resources?.requests).get('memory')?.value() ?? 0;
  const limit = amountsOf(resources?.limits).get('memory')?.value() ?? 0;
  const protection: Readonly<Record<string, string>> =
    request !== 0 && quality.isProtecting
      ? { [protectionFile(pod)]: String(request) }
      : { 'memory.min': '0', 'memory.low': '0' };
  if (request === limit) return protection;
  const most = limit === 0 ? quality.allocatableMemory : limit;
  const wanted = (request + (most - request) * Math.fround(quality.throttlingFactor)) / PAGE_BYTES;
  const high = Math.floor(wanted) * PAGE_BYTES;
  return most > 0 && high > request ? { ...protection, 'memory.high': String(high) } : protection;
}

/** The file of a pod's cgroup that protects what its containers request. */
export function podMemoryQuality(
  pod: Observed<Pod>,
  request: number,
  { memoryQuality: quality, cgroupVersion }: ResourceRules,
): Readonly<Record<string, string>> | undefined {
  if (quality?.isProtecting !== true || cgroupVersion !== 2 || request === 0) return undefined;
  return { [protectionFile(pod)]: String(request) };
}

function protectionFile(pod: Observed<Pod>): string {
  return qosClassOf(pod) === 'Guaranteed' ? 'memory.min' : 'memory.low';
}
