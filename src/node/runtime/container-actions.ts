// Probes and lifecycle hooks of containers.
import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import type { ContainerStatus } from './container.ts';

/** One of these is set, as in probes and lifecycle handlers. */
export type ContainerAction = Pick<DeepReadonly<core.Probe>, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'>;

export type ActionPurpose = 'startup' | 'liveness' | 'readiness' | 'postStart' | 'preStop';

export interface ActionTarget {
  readonly containerId: string;
  /** The container in the pod's spec. */
  readonly container: DeepReadonly<core.Container>;
  readonly podIp: string;
  readonly purpose: ActionPurpose;
}

export interface ActionOutcome {
  /** `warning` is a success worth an event; an action that could not be tried at all throws instead. */
  readonly result: 'success' | 'warning' | 'failure';
  readonly output: string;
  /** The answer stays the same until then; undefined where that is not known. */
  readonly sameUntilMs?: number;
}

export interface ActionOptions {
  /** Default no limit. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

/** Whether a container without probes has started and is ready. */
export interface ContainerReadiness {
  readonly isStarted: boolean;
  readonly isReady: boolean;
  /** When to ask again, if time alone may change the answer. */
  readonly changesAtMs?: number;
}

/** Carries out probes and hooks of every sort but `sleep`. */
export interface ActionExecutor {
  /** Asked about running containers without probes. */
  readiness(container: ContainerStatus): ContainerReadiness;
  run(action: ContainerAction, target: ActionTarget, options: ActionOptions): Promise<ActionOutcome>;
}
