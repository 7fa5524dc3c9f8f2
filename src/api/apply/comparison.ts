import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** What has changed between two objects. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * What has happened to a value itself; `same` when at most something below it has changed. `both` added and removed are
 * items of a list whose key had duplicates before and has none now, or the other way round.
 */
export type Mark = 'added' | 'modified' | 'removed' | 'both' | 'same';

/** What has changed at a value and below it. */
export interface Change extends Comparison {
  readonly mark: Mark;
}

export const NO_CHANGES: Comparison = { added: EMPTY_SET, modified: EMPTY_SET, removed: EMPTY_SET };
export const ADDED: Change = { mark: 'added', ...NO_CHANGES };
export const MODIFIED: Change = { mark: 'modified', ...NO_CHANGES };

export function isUnchanged({ added, modified, removed }: Comparison): boolean {
  return added.isEmpty && modified.isEmpty && removed.isEmpty;
}

/** Collects what has changed below one value. */
export class ChangeBuilder {
  #added: FieldSetBuilder | undefined;
  #modified: FieldSetBuilder | undefined;
  #removed: FieldSetBuilder | undefined;

  add(element: PathElement, { mark, added, modified, removed }: Change): void {
    const isAdded = mark === 'added' || mark === 'both';
    const isRemoved = mark === 'removed' || mark === 'both';
    if (isAdded || !added.isEmpty) (this.#added ??= new FieldSetBuilder()).add(element, isAdded, added);
    if (mark === 'modified' || !modified.isEmpty) {
      (this.#modified ??= new FieldSetBuilder()).add(element, mark === 'modified', modified);
    }
    if (isRemoved || !removed.isEmpty) (this.#removed ??= new FieldSetBuilder()).add(element, isRemoved, removed);
  }

  finish(): Change | undefined {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return undefined;
    return {
      mark: 'same',
      added: this.#added?.finish() ?? EMPTY_SET,
      modified: this.#modified?.finish() ?? EMPTY_SET,
      removed: this.#removed?.finish() ?? EMPTY_SET,
    };
  }
}
