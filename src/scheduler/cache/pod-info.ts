import { quantityOf, milliQuantityOf } from '../../api/values/index.ts';
import {
  hasPodLevelRequests,
  type HostPort,
  hostPortsOf,
  podRequests,
  type ResourceAmounts,
} from '../../api/meaning/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import { type AffinityTerms, affinityTermsOf } from './affinity-terms.ts';
import { Resources } from './resources.ts';
import { withMembers } from '../../base/index.ts';

const ASSUMED_MILLI_CPU = 100;
const ASSUMED_MEMORY = 200 * 1024 * 1024;

/** Requests that are assumed for containers without any when nodes are compared: a tenth of a CPU and 200 MiB. */
export const ASSUMED_REQUESTS: ResourceAmounts = new Map([
  ['cpu', milliQuantityOf(ASSUMED_MILLI_CPU)],
  ['memory', quantityOf(ASSUMED_MEMORY)],
]);

/** A pod with what the scheduler has worked out about it, which never changes: a pod that asks for something else gets a new one. */
export class PodInfo {
  #pod: Observed<Pod>;
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly priority: number;
  readonly requests: Resources;
  /** CPU requests with `ASSUMED_REQUESTS` for containers without any, so that such pods spread over nodes as well. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
  /** Its affinity to other pods. */
  readonly terms: AffinityTerms;

  /** Results that the change of the pod does not touch are copied from its earlier state. */
  constructor(pod: Observed<Pod>, earlier?: PodInfo) {
    const known = earlier !== undefined && asksForTheSame(pod, earlier.pod) ? earlier : undefined;
    this.#pod = pod;
    this.key = keyOf(pod);
    this.uid = pod.metadata.uid;
    this.priority = pod.spec?.priority ?? 0;
    this.requests = known?.requests ?? Resources.of(podRequests(pod));
    const nonZero = known ?? nonZeroRequests(pod, this.requests);
    this.nonZeroMilliCpu = nonZero.nonZeroMilliCpu;
    this.nonZeroMemory = nonZero.nonZeroMemory;
    this.hostPorts = known?.hostPorts ?? hostPortsOf(pod);
    this.terms =
      earlier !== undefined && earlier.pod.spec?.affinity === pod.spec?.affinity ? earlier.terms : affinityTermsOf(pod);
  }

  get pod(): Observed<Pod> {
    return this.#pod;
  }

  /**
   * Takes over a new state of the pod, if it differs in nothing that other pods and their nodes have to do with, as when its
   * containers have started; false when it does.
   */
  follow(pod: Observed<Pod>): boolean {
    if (!isAlike(pod, this.#pod)) return false;
    if (!asksForTheSame(pod, this.#pod)) {
      const requests = Resources.of(podRequests(pod));
      const { nonZeroMilliCpu, nonZeroMemory } = nonZeroRequests(pod, requests);
      const isSame = nonZeroMilliCpu === this.nonZeroMilliCpu && nonZeroMemory === this.nonZeroMemory;
      if (!isSame || !requests.equals(this.requests)) return false;
    }
    this.#pod = pod;
    return true;
  }

  get schedulerName(): string {
    return this.pod.spec?.schedulerName ?? '';
  }

  /** The same pod as it will be once it is bound. */
  onNode(nodeName: string): PodInfo {
    const spec = withMembers(this.pod.spec ?? {}, { nodeName });
    return new PodInfo({ ...this.pod, spec } as Observed<Pod>, this);
  }
}

/** Whether all that is known of two states of a pod on a node, but for what it asks for, is the same. */
function isAlike(pod: Observed<Pod>, earlier: Observed<Pod>): boolean {
  const { metadata, spec } = pod;
  const before = earlier.spec;
  return (
    metadata.labels === earlier.metadata.labels &&
    metadata.deletionTimestamp === earlier.metadata.deletionTimestamp &&
    pod.status?.phase !== 'Succeeded' &&
    pod.status?.phase !== 'Failed' &&
    pod.status?.resourceClaimStatuses === earlier.status?.resourceClaimStatuses &&
    spec?.nodeName === before?.nodeName &&
    spec?.priority === before?.priority &&
    spec?.containers === before?.containers &&
    spec?.initContainers === before?.initContainers &&
    spec?.affinity === before?.affinity &&
    spec?.volumes === before?.volumes &&
    spec?.resourceClaims === before?.resourceClaims &&
    spec?.topologySpreadConstraints === before?.topologySpreadConstraints
  );
}

/** Informers reuse the unchanged parts of an object, so identity finds nearly every part that is equal. */
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
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const hasPodLevel = hasPodLevelRequests(pod);
  if (initContainers.length === 0 && !hasPodLevel && pod.status?.containerStatuses === undefined) {
    // all containers run together, so it is enough to count those without a request
    const missing = (name: string): number =>
      containers.reduce((count, { resources }) => count + (resources?.requests?.[name] === undefined ? 1 : 0), 0);
    return {
      nonZeroMilliCpu: requests.milliCpu + missing('cpu') * ASSUMED_MILLI_CPU,
      nonZeroMemory: requests.memory + missing('memory') * ASSUMED_MEMORY,
    };
  }
  const forMissing = hasPodLevel ? assumedWhereNobodySays(pod) : ASSUMED_REQUESTS;
  const { milliCpu, memory } = Resources.of(podRequests(pod, { forMissing }));
  return { nonZeroMilliCpu: milliCpu, nonZeroMemory: memory };
}

/** For a pod with pod-level requests, only resources that neither the pod nor any container requests are assumed. */
function assumedWhereNobodySays(pod: Observed<Pod>): ResourceAmounts {
  const said = podRequests(pod);
  return new Map([...ASSUMED_REQUESTS].filter(([name]) => !said.has(name)));
}
