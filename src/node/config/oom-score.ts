import type { Observed, Pod } from '../../client/index.ts';
import { amountsOf, podRequests, qosClassOf } from '../../api/meaning/index.ts';
import type { ContainerSpec } from '../life/index.ts';

/** OOM scores of the containers that are killed last and first when memory runs out. */
const GUARANTEED = -997;
const BEST_EFFORT = 1000;

/** For burstable pods: the more of the node's memory a container requests, the lower its OOM score. */
export function oomScore(
  pod: Observed<Pod>,
  container: ContainerSpec,
  capacity: Readonly<Record<string, string>>,
): number {
  const qosClass = qosClassOf(pod);
  if (pod.spec?.priorityClassName === 'system-node-critical' || qosClass === 'Guaranteed') return GUARANTEED;
  if (qosClass !== 'Burstable') return BEST_EFFORT;
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
