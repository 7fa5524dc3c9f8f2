import type { Condition } from '../../api/types/meta/v1.d.ts';
import type { Clock } from '../../base/index.ts';
import type { Observed, StorageVersionMigration } from '../../client/index.ts';

type Migration = Observed<StorageVersionMigration>;
type Status = NonNullable<StorageVersionMigration['status']>;

/** A condition without its time. */
export type Statement = Pick<Condition, 'type' | 'reason' | 'message'>;

export const RUNNING: Statement = {
  type: 'Running',
  reason: 'MigrationRunning',
  message: 'The migration is running',
};
export const SUCCEEDED: Statement = { type: 'Succeeded', reason: 'StorageVersionMigrationSucceeded', message: '' };

export function failed(message: string): Statement {
  return { type: 'Failed', reason: 'StorageVersionMigrationFailed', message };
}

export function isRunning(migration: Migration): boolean {
  return isTrue(migration, 'Running');
}

export function hasSucceeded(migration: Migration): boolean {
  return isTrue(migration, 'Succeeded');
}

/** Whether the migration has succeeded or failed. */
export function isFinished(migration: Migration): boolean {
  return hasSucceeded(migration) || isTrue(migration, 'Failed');
}

/** The status with another true condition; existing conditions are kept. */
export function withCondition({ status }: Migration, statement: Statement, clock: Clock): Status {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type }) => type === statement.type)) return { ...status, conditions: [...conditions] };
  const added: Condition = { ...statement, status: 'True', lastTransitionTime: timeOf(clock) };
  return { ...status, conditions: [...conditions, added] };
}

/** The status of a finished migration, without the Running condition. */
export function completed({ status, metadata }: Migration, clock: Clock): Status {
  const conditions = (status?.conditions ?? []).map((condition) =>
    condition.type === 'Running'
      ? {
          ...condition,
          status: 'False',
          reason: 'MigrationCompleted',
          message: 'Migration completed',
          lastTransitionTime: timeOf(clock),
          ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
        }
      : condition,
  );
  return { ...status, conditions };
}

/** Whether a pending migration may start: one runs per resource at a time, the oldest first. */
export function isNext(migration: Migration, all: readonly Migration[]): boolean {
  const rivals = all.filter((other) => resourceOf(other) === resourceOf(migration) && !isFinished(other));
  if (rivals.some(isRunning)) return false;
  return rivals.every((other) => other.metadata.name === migration.metadata.name || precedes(migration, other));
}

/** A comparable text for the resource. */
export function resourceOf({ spec }: Migration): string {
  const { group = '', resource = '' } = spec?.resource ?? {};
  return `${resource}.${group}`;
}

export function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}

function precedes({ metadata: one }: Migration, { metadata: other }: Migration): boolean {
  if (one.creationTimestamp !== other.creationTimestamp) return one.creationTimestamp < other.creationTimestamp;
  return one.name < other.name;
}

function isTrue({ status }: Migration, wanted: string): boolean {
  return status?.conditions?.some((condition) => condition.type === wanted && condition.status === 'True') === true;
}
