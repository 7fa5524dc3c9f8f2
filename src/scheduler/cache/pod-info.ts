import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';
import { hasPodLevelRequests, podRequests } from './pod-requests.ts';
import { Resources } from './resources.ts';

/** What a container that says nothing is thought to use when nodes are compared: a tenth of a CPU, 200 MiB. */
export const ASSUMED_REQUESTS: ReadonlyMap<string, number> = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
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

  constructor(pod: Observed<Pod>, known?: PodInfo) {
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

function nonZeroRequests(pod: Observed<Pod>, requests: Resources): Pick<PodInfo, 'nonZeroMilliCpu' | 'nonZeroMemory'> {
  const asksForBoth = pod.spec?.containers.every(
    ({ resources }) => resources?.requests?.['cpu'] !== undefined && resources.requests['memory'] !== undefined,
  );
  if (asksForBoth === true && (pod.spec?.initContainers ?? []).length === 0)
    return { nonZeroMilliCpu: requests.milliCpu, nonZeroMemory: requests.memory };
  const forMissing = hasPodLevelRequests(pod) ? assumedWhereNobodySays(pod) : ASSUMED_REQUESTS;
  const amounts = podRequests(pod, { forMissing });
  return { nonZeroMilliCpu: amounts.get('cpu') ?? 0, nonZeroMemory: amounts.get('memory') ?? 0 };
}

/** With requests for the pod as a whole, something is only assumed for what neither it nor a container asks for. */
function assumedWhereNobodySays(pod: Observed<Pod>): ReadonlyMap<string, number> {
  const said = podRequests(pod);
  return new Map([...ASSUMED_REQUESTS].filter(([name]) => !said.has(name)));
}
