import { numberOfInt64 } from '../../api/client.ts';
import { amountsOf, isTerminalPhase } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import type { NodeBackend, NodeSettings } from '../backend/index.ts';
import { isCriticalPod } from '../eviction/index.ts';
import { allocatableOf, nodeLabels } from '../machine/index.ts';
import type { NodeCounts } from '../node-counts.ts';
import type { PodResizes } from '../resizing/index.ts';
import { podsToPreempt, type Shortage } from './critical-pods.ts';
import { type AdmittingNode, NodeAdmission, type Rejection } from './node-admission.ts';
import { AllowedSysctls } from './sysctls.ts';

export interface PodGateParts {
  readonly settings: NodeSettings;
  readonly backend: NodeBackend;
  readonly clock: Pick<Clock, 'now'>;
  readonly counts: Pick<NodeCounts, 'metrics'>;
  /** The node's own object. */
  node(): Observed<Node> | undefined;
  resizes(): PodResizes;
  /** Why the node takes no such pods at present. */
  refuse(pod: Observed<Pod>): Rejection | undefined;
  /** The pods that run on the node. */
  active(): readonly Observed<Pod>[];
  /** Begins to end a pod, to make room for a critical one that lacks this resource. */
  preempt(pod: Observed<Pod>, resource: string): void;
  /** Whether nothing of the pod runs any more. */
  hasEnded(pod: Observed<Pod>): boolean;
}

/** Reasons that are counted by themselves: others have names that pods and resources choose. */
const COUNTED_REASONS = [
  ...['AppArmor', 'Evicted', 'InitContainerRestartPolicyForbidden', 'InvalidNodeInfo', 'NodeShutdown', 'OutOfcpu'],
  ...['OutOfephemeral-storage', 'OutOfmemory', 'OutOfpods', 'PodFeatureUnsupported', 'PodOSNotSupported'],
  ...['PodLevelResourcesNotSupported', 'PodOSSelectorNodeLabelDoesNotMatch', 'SupplementalGroupsPolicyNotSupported'],
  ...['SysctlForbidden', 'TopologyAffinityError', 'UnexpectedAdmissionError', 'UnexpectedPredicateFailureType'],
  ...['UnknownReason', 'VolumeAttachmentLimitExceeded'],
];

function countedReason({ reason }: Rejection): string {
  if (COUNTED_REASONS.includes(reason)) return reason;
  return reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other';
}

const DEFAULT_GRACE_SECONDS = 30;
/** The least time that pods have to make room. */
const MIN_END_MS = 10_000;

function graceOf({ spec }: Observed<Pod>): number {
  return numberOfInt64(spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
}

/** Whether the pod was admitted before, or needs no admission any more. */
function hasBegun({ metadata, status }: Observed<Pod>): boolean {
  return status?.startTime !== undefined || metadata.deletionTimestamp !== undefined || isTerminalPhase(status?.phase);
}

/** Even without all pods that may be ended, the node has too little. */
function unexpected(shortages: readonly Shortage[]): Rejection {
  const list = shortages.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`,
  };
}

/** Decides which pods run on a node, and what of the node is reserved for them. */
export class PodGate {
  readonly #parts: PodGateParts;
  readonly #admission = new NodeAdmission();
  /** The pods that are ended for a critical pod, by its uid. */
  readonly #room = new Map<string, { readonly pods: readonly Observed<Pod>[]; readonly untilMs: number }>();
  /** Made for the first pod with kernel settings. */
  #sysctls: AllowedSysctls | undefined;

  constructor(parts: PodGateParts) {
    this.#parts = parts;
  }

  /** Whether a critical pod has to wait for others to end, which the first call begins. */
  makesRoom(pod: Observed<Pod>): boolean {
    const { uid } = pod.metadata;
    const { clock, active, preempt, hasEnded } = this.#parts;
    const begun = this.#room.get(uid);
    if (begun !== undefined) {
      if (clock.now() < begun.untilMs && !begun.pods.every((each) => hasEnded(each))) return true;
      this.#room.delete(uid); // pods that take too long are not waited for
      return false;
    }
    if (!isCriticalPod(pod) || hasBegun(pod) || this.#admission.has(uid)) return false;
    if ((this.#parts.refuse(pod) ?? this.#rejectSysctls(pod)) !== undefined) return false;
    const shortages = this.#admission.shortages(pod, this.#admittingNode());
    const [first] = shortages;
    const pods = first === undefined ? undefined : podsToPreempt(pod, active(), shortages);
    if (first === undefined || pods === undefined) return false;
    this.#admission.readmit(pod); // so that no other pod takes the room that is made
    for (const each of pods) preempt(each, first.resource);
    const graceMs = Math.max(...pods.map(graceOf));
    this.#room.set(uid, { pods, untilMs: clock.now() + Math.max(1.5 * graceMs, MIN_END_MS) });
    return true;
  }

  /** Admits a new pod, or returns why the node rejects it. Pods that have started before are not checked again. */
  async admit(pod: Observed<Pod>): Promise<Rejection | undefined> {
    if (isTerminalPhase(pod.status?.phase)) return undefined;
    const { backend, refuse } = this.#parts;
    const resizes = this.#parts.resizes();
    const allocated = await resizes.restored(pod);
    const hasStarted = hasBegun(pod);
    if (hasStarted) this.#admission.readmit(allocated);
    const rejection = hasStarted
      ? undefined
      : (refuse(pod) ??
        this.#rejectSysctls(pod) ??
        this.#reserve(allocated) ??
        (await backend.devices.admit(allocated)) ??
        (await backend.resources.admit(allocated)));
    if (rejection === undefined) {
      await resizes.admitted(pod, allocated);
    } else {
      this.#parts.counts.metrics.add('kubelet_admission_rejections_total', { reason: countedReason(rejection) });
      this.#admission.release(pod.metadata.uid);
      await backend.devices.unprepare(pod.metadata.uid);
    }
    return rejection;
  }

  /** Reserves resources for a resized pod, or returns why the node does not have them. */
  resize(pod: Observed<Pod>): ReturnType<NodeAdmission['resize']> {
    return this.#admission.resize(pod, this.#admittingNode());
  }

  /** Frees what was reserved for a pod that has ended or is gone. */
  async release(uid: string): Promise<void> {
    this.#room.delete(uid);
    this.#admission.release(uid);
    await this.#parts.resizes().released(uid);
  }

  /** Rejects a critical pod for which no room can be made. What it requests is reserved before others are ended for it. */
  #reserve(pod: Observed<Pod>): Rejection | undefined {
    if (this.#admission.has(pod.metadata.uid)) return undefined;
    const node = this.#admittingNode();
    const rejection = this.#admission.admit(pod, node);
    if (rejection === undefined || !isCriticalPod(pod)) return rejection;
    const shortages = this.#admission.shortages(pod, node);
    return shortages.length === 0 ? rejection : unexpected(shortages);
  }

  #rejectSysctls(pod: Observed<Pod>): Rejection | undefined {
    if (pod.spec?.securityContext?.sysctls === undefined) return undefined;
    const { backend, settings } = this.#parts;
    this.#sysctls ??= new AllowedSysctls(backend.machine.info.kernelVersion, settings.allowedUnsafeSysctls);
    return this.#sysctls.reject(pod);
  }

  #admittingNode(): AdmittingNode {
    const { settings, backend } = this.#parts;
    const { machine } = backend;
    const node = this.#parts.node();
    return {
      name: settings.name,
      operatingSystem: machine.operatingSystem,
      labels: node?.metadata.labels ?? nodeLabels({ settings, machine }),
      taints: node?.spec?.taints ?? settings.taints,
      allocatable: amountsOf(node?.status?.allocatable ?? allocatableOf(machine)),
      hasStrictGroups: node?.status?.features?.supplementalGroupsPolicy ?? false,
    };
  }
}
