import type { LabelSelectorObject } from '../../api/client.ts';
import type { ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Kind, KubernetesObject, Observed } from '../../client/index.ts';

/** What a ReplicaSet or ReplicationController asks for, with its defaults filled in: a number of equal pods. */
export interface WantedReplicas {
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
  /** What the metrics of its queue are told under; its name unless given. */
  readonly queueName?: string;
  /** Under which name the controller shows in logs and metrics. */
  readonly name: string;
  /** Under which name it writes events. */
  readonly component: string;
  /** Whether the status has a place for pods that are being deleted. */
  readonly countsTerminating: boolean;
  wantedOf(object: Observed<T>): WantedReplicas;
}
