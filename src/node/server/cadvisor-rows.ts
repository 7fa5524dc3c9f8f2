import type { Family, Sample } from '../backend/index.ts';
import type { CgroupFigures } from '../runtime/index.ts';

/** A sample of a group, before it has the labels of the group. */
export type OwnSample = Pick<Sample, 'value' | 'labels'>;
/** What a family has of a group: one number, several with labels, or nothing. */
type Value = number | undefined | readonly OwnSample[];

/** A family whose samples have the time at which they were measured. */
export interface FamilyRow {
  readonly name: string;
  readonly type: Family['type'];
  readonly help: string;
  readonly of: (figures: CgroupFigures) => Value;
}

export function counter(name: string, help: string, of: FamilyRow['of']): FamilyRow {
  return { name, type: 'counter', help, of };
}

export function gauge(name: string, help: string, of: FamilyRow['of']): FamilyRow {
  return { name, type: 'gauge', help, of };
}
