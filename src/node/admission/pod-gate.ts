import { amountsOf, isTerminalPhase } from '../../api/meaning/index.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import type { NodeBackend, NodeSettings } from '../backend/index.ts';
import { allocatableOf, nodeLabels } from '../machine/index.ts';
import type { PodResizes } from '../resizing/index.ts';
import { type AdmittingNode, NodeAdmission, type Rejection } from './node-admission.ts';
import { AllowedSysctls } from './sysctls.ts';

export interface PodGateParts {
  readonly settings: NodeSettings;
  readonly backend: NodeBackend;
  /** The node's own object. */
  node(): Observed<Node> | undefined;
  resizes(): PodResizes;
  /** Why the node takes no such pods at present. */
  refuse(pod: Observed<Pod>): Rejection | undefined;
}

/** Decides which pods run on a node, and what of the node is reserved for them. */
export class PodGate {
  readonly #parts: PodGateParts;
  readonly #admission = new NodeAdmission();
  /** Made for the first pod with kernel settings. */
  #sysctls: AllowedSysctls | undefined;

  constructor(parts: PodGateParts) {
    this.#parts = parts;
  }

  /** Admits a new pod, or returns why the node rejects it. Pods that have started before are not checked again. */
  async admit(pod: Observed<Pod>): Promise<Rejection | undefined> {
    if (isTerminalPhase(pod.status?.phase)) return undefined;
    const { backend, refuse } = this.#parts;
    const resizes = this.#parts.resizes();
    const allocated = await resizes.restored(pod);
    const hasStarted = pod.status?.startTime !== undefined || pod.metadata.deletionTimestamp !== undefined;
    if (hasStarted) this.#admission.readmit(allocated);
    const rejection = hasStarted
      ? undefined
      : (refuse(pod) ??
        this.#rejectSysctls(pod) ??
        this.#admission.admit(allocated, this.#admittingNode()) ??
        (await backend.devices.admit(allocated)) ??
        (await backend.resources.admit(allocated)));
    if (rejection === undefined) {
      await resizes.admitted(pod, allocated);
    } else {
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
    this.#admission.release(uid);
    await this.#parts.resizes().released(uid);
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
