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

/** Assumed requests of containers that request nothing, used for scoring: a tenth of a CPU and 200 MiB. */
export const ASSUMED_REQUESTS: ResourceAmounts = new Map([
  ['cpu', milliQuantityOf(ASSUMED_MILLI_CPU)],
  ['memory', quantityOf(ASSUMED_MEMORY)],
]);

/**
 * A pod with precomputed requests and affinity terms. These never change: a pod with a different spec gets a new
 * PodInfo.
 */
export class PodInfo {
  #pod: Observed<Pod>;
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly priority: number;
  readonly requests: Resources;
  /** CPU requests, with `ASSUMED_REQUESTS` for containers without any, so that scoring spreads such pods as well. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
  /** Its affinity to other pods. */
  readonly terms: AffinityTerms;

  /** `earlier` is a previous PodInfo of the pod; results that the update does not affect are copied from it. */
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
   * Replaces the pod by a newer version, if nothing changed that affects other pods or nodes (as when its containers
   * have started); otherwise returns false and changes nothing.
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

  /** The same pod as if it were bound to the node. */
  onNode(nodeName: string): PodInfo {
    const spec = withMembers(this.pod.spec ?? {}, { nodeName });
    return new PodInfo({ ...this.pod, spec } as Observed<Pod>, this);
  }
}

/** Whether two versions of a pod on a node are equal in all that the scheduler reads, apart from the requests. */
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

/** Compares by identity: informers reuse the unchanged parts of an object. */
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
    // all containers run together, so counting those without a request is enough
    const missing = (name: string): number =>
      containers.reduce((count, { resources }) => count + (resources?.requests?.[name] === undefined ? 1 : 0), 0);
    return {
      nonZeroMilliCpu: requests.milliCpu + missing('cpu') * ASSUMED_MILLI_CPU,
      nonZeroMemory: requests.memory + missing('memory') * ASSUMED_MEMORY,
    };
  }
  const forMissing = hasPodLevel ? assumedWhereNotRequested(pod) : ASSUMED_REQUESTS;
  const { milliCpu, memory } = Resources.of(podRequests(pod, { forMissing }));
  return { nonZeroMilliCpu: milliCpu, nonZeroMemory: memory };
}

/**
 * Assumed requests of a pod with pod-level requests: only for resources that neither the pod nor any container
 * requests.
 */
function assumedWhereNotRequested(pod: Observed<Pod>): ResourceAmounts {
  const said = podRequests(pod);
  return new Map([...ASSUMED_REQUESTS].filter(([name]) => !said.has(name)));
}
