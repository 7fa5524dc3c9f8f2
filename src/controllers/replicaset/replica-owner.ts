import type { LabelSelectorObject } from '../../api/client.ts';
import type { ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Kind, KubernetesObject, Observed } from '../../client/index.ts';

/** An object that keeps a number of equal pods running, with its defaults filled in: ReplicaSets and ReplicationControllers. */
export interface ReplicaOwner {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly generation: number;
  readonly selector: LabelSelectorObject | undefined;
  readonly template: DeepReadonly<PodTemplateSpec> | undefined;
  readonly status: DeepReadonly<ReplicaSetStatus>;
}

/** What differs between the kinds that keep pods running. */
export interface ReplicaKind<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** Under which name the controller shows in logs and metrics. */
  readonly name: string;
  /** Under which name it writes events. */
  readonly component: string;
  /** Whether the status has a place for pods that are being deleted. */
  readonly countsTerminating: boolean;
  ownerOf(object: Observed<T>): ReplicaOwner;
}
