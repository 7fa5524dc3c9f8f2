import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

type ResourceNeeds = DeepReadonly<core.ResourceRequirements>;

/** A resize that the node has not allocated. */
export interface PendingResize {
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
  readonly generation: number;
  readonly sinceMs: number;
}

/** A resize that was allocated and is being carried out. */
export interface ResizeProgress {
  /** Set after an attempt has failed. */
  readonly error: string | undefined;
  readonly generation: number;
  readonly sinceMs: number;
}

/** The resources that are in force, where they differ from those that are allocated. */
export interface ActuatedResources {
  /** By container. */
  readonly containers: ReadonlyMap<string, ResourceNeeds>;
  readonly pod: ResourceNeeds | undefined;
}

/** What a node remembers of the resizes of a pod. */
export interface ResizeState {
  readonly pending: PendingResize | undefined;
  readonly progress: ResizeProgress | undefined;
  /** Undefined when all that is allocated is in force. */
  readonly actuated: ActuatedResources | undefined;
}
