import { quantityOf, milliQuantityOf } from '../../api/values/index.ts';
import {
  hasPodLevelRequests,
  type HostPort,
  hostPortsOf,
  podRequests,
  type ResourceAmounts,
} from '../../api/meaning/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import { Resources } from './resources.ts';

/** What a container that says nothing is thought to use when nodes are compared: a tenth of a CPU, 200 MiB. */
export const ASSUMED_REQUESTS: ResourceAmounts = new Map([
  ['cpu', milliQuantityOf(100)],
  ['memory', quantityOf(200 * 1024 * 1024)],
]);

/** A pod with what the scheduler has worked out about it. Immutable: a changed pod gets a new one. */
export class PodInfo {
  readonly pod: Observed<Pod>;
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly priority: number;
  readonly requests: Resources;
  /** As `requests`, with something for containers that ask for nothing, so that these spread as well. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];

  /** What has not changed since an earlier state of the pod is taken over from there. */
  constructor(pod: Observed<Pod>, earlier?: PodInfo) {
    const known = earlier !== undefined && asksForTheSame(pod, earlier.pod) ? earlier : undefined;
    this.pod = pod;
    this.key = keyOf(pod);
    this.uid = pod.metadata.uid;
    this.priority = pod.spec?.priority ?? 0;
    this.requests = known?.requests ?? Resources.of(podRequests(pod));
    const nonZero = known ?? nonZeroRequests(pod, this.requests);
    this.nonZeroMilliCpu = nonZero.nonZeroMilliCpu;
    this.nonZeroMemory = nonZero.nonZeroMemory;
    this.hostPorts = known?.hostPorts ?? hostPortsOf(pod);
  }

  get schedulerName(): string {
    return this.pod.spec?.schedulerName ?? '';
  }

  /** The same pod as it will be once it is bound. */
  onNode(nodeName: string): PodInfo {
    return new PodInfo({ ...this.pod, spec: { ...this.pod.spec, nodeName } } as Observed<Pod>, this);
  }
}

/** Informers share what is equal between two states of an object, so comparing by identity finds nearly all. */
function asksForTheSame(pod: Observed<Pod>, earlier: Observed<Pod>): boolean {
  const { spec, status } = pod;
  const before = earlier.spec;
  return (
    spec?.containers === before?.containers &&
    spec?.initContainers === before?.initContainers &&
    spec?.resources === before?.resources &&
    spec?.overhead === before?.overhead &&
    status?.containerStatuses === earlier.status?.containerStatuses &&
    status?.initContainerStatuses === earlier.status?.initContainerStatuses &&
    status?.resources === earlier.status?.resources &&
    status?.allocatedResources === earlier.status?.allocatedResources &&
    status?.conditions?.some(({ type }) => type === 'PodResizePending') !== true &&
    earlier.status?.conditions?.some(({ type }) => type === 'PodResizePending') !== true
  );
}

function nonZeroRequests(pod: Observed<Pod>, requests: Resources): Pick<PodInfo, 'nonZeroMilliCpu' | 'nonZeroMemory'> {
  const asksForBoth = pod.spec?.containers.every(
    ({ resources }) => resources?.requests?.['cpu'] !== undefined && resources.requests['memory'] !== undefined,
  );
  if (asksForBoth === true && (pod.spec?.initContainers ?? []).length === 0)
    return { nonZeroMilliCpu: requests.milliCpu, nonZeroMemory: requests.memory };
  const forMissing = hasPodLevelRequests(pod) ? assumedWhereNobodySays(pod) : ASSUMED_REQUESTS;
  const { milliCpu, memory } = Resources.of(podRequests(pod, { forMissing }));
  return { nonZeroMilliCpu: milliCpu, nonZeroMemory: memory };
}

/** With requests for the pod as a whole, something is only assumed for what neither it nor a container asks for. */
function assumedWhereNobodySays(pod: Observed<Pod>): ResourceAmounts {
  const said = podRequests(pod);
  return new Map([...ASSUMED_REQUESTS].filter(([name]) => !said.has(name)));
}
