import { compareObjects } from './compare-objects.ts';
import type { Comparison } from './comparison.ts';
import type { FieldFilter } from './field-filter.ts';
import { type MergeType, mergeTypeOf } from './merge-type.ts';
import { apiVersionOf, type OwnedKind } from './owned-kind.ts';

/** A value and how it is merged, in one version. */
export interface TypedObject {
  readonly object: unknown;
  readonly type: MergeType;
  readonly apiVersion: string;
}

/** The object as it is in the version of the request. */
export function typedObject(object: unknown, kind: OwnedKind): TypedObject {
  return { object, type: mergeTypeOf(kind.type), apiVersion: apiVersionOf(kind.kind) };
}

/** The object in another version, or undefined when there is no such version. */
export function inVersion(typed: TypedObject, apiVersion: string, kind: OwnedKind): TypedObject | undefined {
  if (typed.apiVersion === apiVersion) return typed;
  const converted = kind.convert?.(typed.object, apiVersion);
  return converted === undefined
    ? undefined
    : { object: converted.object, type: mergeTypeOf(converted.type), apiVersion };
}

/** What a write changes, in whatever version an owner's paths are meant. */
export class VersionedChange {
  readonly #before: TypedObject;
  readonly #after: TypedObject;
  readonly #kind: OwnedKind;
  readonly #comparisons = new Map<string, Comparison | undefined>();

  constructor(before: TypedObject, after: TypedObject, kind: OwnedKind) {
    this.#before = before;
    this.#after = after;
    this.#kind = kind;
  }

  /** Undefined when there is no such version. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#comparisons.has(apiVersion)) this.#comparisons.set(apiVersion, this.#compare(apiVersion));
    return this.#comparisons.get(apiVersion);
  }

  #compare(apiVersion: string): Comparison | undefined {
    const before = inVersion(this.#before, apiVersion, this.#kind);
    const after = inVersion(this.#after, apiVersion, this.#kind);
    if (before === undefined || after === undefined) return undefined;
    return filtered(compareObjects(before.object, after.object, before.type), this.#kind.filter);
  }
}

function filtered(comparison: Comparison, filter: FieldFilter | undefined): Comparison {
  if (filter === undefined) return comparison;
  const { added, modified, removed } = comparison;
  return { added: filter(added), modified: filter(modified), removed: filter(removed) };
}
