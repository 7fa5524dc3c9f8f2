import { scaleIntOrPercent, ValueError } from '../../api/client.ts';
import type { Deployment, DeploymentStatus } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

/** The largest int32: how objects express "never" or "no limit". */
const NO_LIMIT = 2 ** 31 - 1;

export type Strategy = 'RollingUpdate' | 'Recreate';

/** A Deployment's spec with defaults filled in and percentages resolved. */
export interface DeploymentView {
  readonly name: string;
  readonly generation: number;
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly template: DeepReadonly<PodTemplateSpec>;
  readonly strategy: string;
  readonly isRolling: boolean;
  /** Maximum number of pods above `replicas` during an update. */
  readonly maxSurge: number;
  /** Maximum number of unavailable replicas during an update. */
  readonly maxUnavailable: number;
  readonly isPaused: boolean;
  /** Undefined: no deadline, and no Progressing condition. */
  readonly progressDeadlineSeconds: number | undefined;
  /** Undefined: all old ReplicaSets are kept. */
  readonly revisionHistoryLimit: number | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: DeepReadonly<DeploymentStatus>;
}

export function viewDeployment({ metadata, spec, status }: Observed<Deployment>): DeploymentView {
  const replicas = spec?.replicas ?? 1;
  const strategy = spec?.strategy?.type ?? 'RollingUpdate';
  const isRolling = strategy === 'RollingUpdate';
  const fenceposts = resolveFenceposts(spec?.strategy?.rollingUpdate ?? {}, replicas);
  return {
    name: metadata.name,
    generation: metadata.generation ?? 0,
    replicas,
    minReadySeconds: spec?.minReadySeconds ?? 0,
    template: spec?.template ?? {},
    strategy,
    isRolling,
    maxSurge: isRolling ? fenceposts.surge : 0,
    maxUnavailable: isRolling ? Math.min(fenceposts.unavailable, replicas) : 0,
    isPaused: spec?.paused === true,
    progressDeadlineSeconds: limitOf(spec?.progressDeadlineSeconds),
    revisionHistoryLimit: limitOf(spec?.revisionHistoryLimit),
    annotations: metadata.annotations ?? {},
    status: status ?? {},
  };
}

interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

/**
 * maxSurge and maxUnavailable as numbers. Percentages of surge round up, of unavailability down; if both are 0, one pod
 * may be unavailable, because otherwise no step would be possible.
 *
 * Example: 2 replicas, 1% unavailable, 0% surge: surge 0, unavailable 1.
 */
export function resolveFenceposts(
  { maxSurge, maxUnavailable }: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string },
  replicas: number,
): Fenceposts {
  const surge = scaleIntOrPercent(maxSurge ?? 0, replicas, { round: 'up' });
  const unavailable = scaleIntOrPercent(maxUnavailable ?? 0, replicas, { round: 'down' });
  if (surge instanceof ValueError || unavailable instanceof ValueError) return { surge: 0, unavailable: 0 };
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

function limitOf(value: number | undefined): number | undefined {
  return value === NO_LIMIT ? undefined : value;
}
