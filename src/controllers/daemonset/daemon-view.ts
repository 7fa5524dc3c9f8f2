import { parseGoInteger, scaleIntOrPercent, ValueError } from '../../api/client.ts';
import { controllerReference } from '../../api/meaning/index.ts';
import type { DaemonSet as DaemonSetObject, DaemonSetStatus } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { DaemonSet, type Observed } from '../../client/index.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const DEFAULT_HISTORY_LIMIT = 10;

/** A DaemonSet's spec with defaults filled in. */
export interface DaemonSetView {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly template: DeepReadonly<PodTemplateSpec>;
  readonly minReadySeconds: number;
  readonly isRolling: boolean;
  /** A number of nodes, or a percentage. */
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly revisionHistoryLimit: number;
  /** Identified the template before there were hashes; undefined when unknown. */
  readonly templateGeneration: string | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly reference: OwnerReference;
  readonly status: DeepReadonly<DaemonSetStatus> | undefined;
}

export function viewDaemonSet(set: Observed<DaemonSetObject>): DaemonSetView {
  const { metadata, spec, status } = set;
  const isRolling = spec?.updateStrategy?.type !== 'OnDelete';
  const rolling = isRolling ? spec?.updateStrategy?.rollingUpdate : undefined;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    template: spec?.template ?? {},
    minReadySeconds: spec?.minReadySeconds ?? 0,
    isRolling,
    maxUnavailable: rolling?.maxUnavailable ?? 0,
    maxSurge: rolling?.maxSurge ?? 0,
    revisionHistoryLimit: spec?.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT,
    templateGeneration: readGeneration(metadata.annotations?.[TEMPLATE_GENERATION]),
    annotations: metadata.annotations,
    reference: controllerReference(set, DaemonSet),
    status,
  };
}

/** maxUnavailable and maxSurge as numbers for `nodes` nodes. Percentages round up. */
export function boundsOf({ maxUnavailable, maxSurge }: DaemonSetView, nodes: number): RollingBounds {
  const unavailable = scaleIntOrPercent(maxUnavailable, nodes, { round: 'up' });
  const surge = scaleIntOrPercent(maxSurge, nodes, { round: 'up' });
  if (unavailable instanceof ValueError) throw new Error(`invalid value for MaxUnavailable: ${unavailable.message}`);
  if (surge instanceof ValueError) throw new Error(`invalid value for MaxSurge: ${surge.message}`);
  return { surge, unavailable: surge === 0 && nodes > 0 ? Math.max(1, unavailable) : unavailable };
}

export interface RollingBounds {
  readonly surge: number;
  readonly unavailable: number;
}

/** Whether a node may have two pods during an update. */
export function allowsSurge({ maxSurge }: DaemonSetView): boolean {
  const surge = scaleIntOrPercent(maxSurge, 1, { round: 'up' });
  return !(surge instanceof ValueError) && surge > 0;
}

function readGeneration(text: string | undefined): string | undefined {
  const value = text === undefined ? undefined : parseGoInteger(text, 'ParseInt', 64);
  return value === undefined || value instanceof ValueError ? undefined : String(value);
}
