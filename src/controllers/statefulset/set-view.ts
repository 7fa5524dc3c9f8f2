import { scaleIntOrPercent, ValueError } from '../../api/client.ts';
import { controllerReference } from '../../api/meaning/index.ts';
import type { StatefulSet as StatefulSetObject, StatefulSetStatus } from '../../api/types/apps/v1.d.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { type Observed, StatefulSet } from '../../client/index.ts';

const DEFAULT_HISTORY_LIMIT = 10;

export type Retention = 'Retain' | 'Delete';

/** A StatefulSet's spec with defaults filled in. */
export interface StatefulSetView {
  readonly name: string;
  readonly namespace: string;
  readonly generation: number;
  readonly isDeleted: boolean;
  readonly replicas: number;
  /** The ordinal of the first pod. */
  readonly start: number;
  /** Pods are created and deleted one at a time; otherwise in parallel. */
  readonly isOrdered: boolean;
  readonly minReadySeconds: number;
  readonly template: DeepReadonly<PodTemplateSpec>;
  readonly isRolling: boolean;
  /** Pods with a lower ordinal keep the current revision; undefined without a rolling update configuration. */
  readonly partition: number | undefined;
  /** Maximum number of unavailable pods during an update. */
  readonly maxUnavailable: number;
  readonly revisionHistoryLimit: number;
  readonly serviceName: string | undefined;
  readonly claimTemplates: readonly DeepReadonly<PersistentVolumeClaim>[];
  readonly selectorLabels: Readonly<Record<string, string>>;
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
  readonly reference: OwnerReference;
  readonly status: DeepReadonly<StatefulSetStatus>;
}

export function viewStatefulSet(set: Observed<StatefulSetObject>): StatefulSetView {
  const { metadata, spec, status } = set;
  const { updateStrategy, persistentVolumeClaimRetentionPolicy: retention } = spec ?? {};
  const replicas = spec?.replicas ?? 1;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    generation: metadata.generation ?? 0,
    isDeleted: metadata.deletionTimestamp !== undefined,
    replicas,
    start: spec?.ordinals?.start ?? 0,
    isOrdered: spec?.podManagementPolicy !== 'Parallel',
    minReadySeconds: spec?.minReadySeconds ?? 0,
    template: spec?.template ?? {},
    isRolling: updateStrategy?.type !== 'OnDelete',
    partition: updateStrategy?.rollingUpdate === undefined ? undefined : (updateStrategy.rollingUpdate.partition ?? 0),
    maxUnavailable: maxUnavailableOf(updateStrategy?.rollingUpdate?.maxUnavailable, replicas),
    revisionHistoryLimit: spec?.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT,
    serviceName: spec?.serviceName,
    claimTemplates: spec?.volumeClaimTemplates ?? [],
    selectorLabels: spec?.selector.matchLabels ?? {},
    whenDeleted: retention?.whenDeleted === 'Delete' ? 'Delete' : 'Retain',
    whenScaled: retention?.whenScaled === 'Delete' ? 'Delete' : 'Retain',
    reference: controllerReference(set, StatefulSet),
    status: status ?? { replicas: 0 },
  };
}

/** Percentages round down, but at least one: otherwise no step would be possible. */
function maxUnavailableOf(maxUnavailable: number | string | undefined, replicas: number): number {
  const count = scaleIntOrPercent(maxUnavailable ?? 1, replicas, { round: 'down' });
  return count instanceof ValueError ? 1 : Math.max(1, count);
}
