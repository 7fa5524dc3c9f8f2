import type { LabelSelectorObject } from '../../api/client.ts';
import type { ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Kind, KubernetesObject, Observed } from '../../client/index.ts';

/** The spec of a ReplicaSet or ReplicationController with defaults filled in. */
export interface WantedReplicas {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly generation: number;
  readonly selector: LabelSelectorObject | undefined;
  readonly template: DeepReadonly<PodTemplateSpec> | undefined;
  readonly status: DeepReadonly<ReplicaSetStatus>;
}

/** What differs between ReplicaSets and ReplicationControllers. */
export interface ReplicaKind<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** The name of its work queue in metrics; default: `name`. */
  readonly queueName?: string;
  /** The controller's name in logs and metrics. */
  readonly name: string;
  /** The component that its events name. */
  readonly component: string;
  /** Whether the status counts terminating pods. */
  readonly countsTerminating: boolean;
  wantedOf(object: Observed<T>): WantedReplicas;
}
