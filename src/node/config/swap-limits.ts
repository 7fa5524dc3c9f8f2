import type { Observed, Pod } from '../../client/index.ts';
import { amountsOf, qosClassOf } from '../../api/meaning/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { LinuxContainerResources } from '../runtime/index.ts';
import type { ResourceRules } from './resource-rules.ts';

type SwapSettings = Pick<LinuxContainerResources, 'memorySwapLimitInBytes' | 'unified'>;

export interface SwapSurroundings {
  readonly rules: ResourceRules;
  readonly capacity: Readonly<Record<string, string>>;
  readonly memoryLimitInBytes: number;
}

/** How much swap a container may use: none, or with LimitedSwap a share by its request for memory. */
export function swapLimits(
  pod: Observed<Pod>,
  container: ContainerSpec,
  { rules, capacity, memoryLimitInBytes }: SwapSurroundings,
): SwapSettings {
  if (rules.swap === undefined) return {};
  // version 1 counts memory and swap together, and ignores the limit when memory has none
  if (rules.cgroupVersion === 1) return { memorySwapLimitInBytes: memoryLimitInBytes };
  if (!canSwap(pod, container, rules)) return { unified: { [SWAP_MAX]: '0' } };
  const nodeMemory = amountsOf(capacity).get('memory')?.value() ?? 0;
  const request = memoryOf(container.resources?.requests);
  const share = nodeMemory === 0 ? 0 : Math.trunc((request / nodeMemory) * rules.swap.capacityBytes);
  return { unified: { [SWAP_MAX]: String(share) } };
}

const SWAP_MAX = 'memory.swap.max';
const CRITICAL_PRIORITY = 2_000_000_000;

/** Whether a container of the pod may be swapped out: burstable pods that request less memory than they are limited to. */
export function canSwap(pod: Observed<Pod>, { resources }: ContainerSpec, rules: ResourceRules): boolean {
  if (rules.swap?.behavior !== 'LimitedSwap' || rules.cgroupVersion !== 2) return false;
  if ((pod.spec?.priority ?? 0) >= CRITICAL_PRIORITY || qosClassOf(pod) !== 'Burstable') return false;
  const [request, limit] = [memoryOf(resources?.requests), memoryOf(resources?.limits)];
  return (request !== 0 || limit !== 0) && request !== limit;
}

function memoryOf(amounts: Readonly<Record<string, string>> | undefined): number {
  return amountsOf(amounts).get('memory')?.value() ?? 0;
}
