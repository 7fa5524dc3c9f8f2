import { formatGroupVersion } from '../values/index.ts';
import { compareObjects, type Comparison } from './compare-objects.ts';
import type { Converting } from './conversion.ts';
import type { FieldManagers } from './field-managers.ts';
import { type MergeType, mergeTypeOf } from './merge-type.ts';
import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import { differenceBelow } from './field-set-algebra.ts';
import { type FieldSet, fieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** A value and how it is merged, in one version. */
export interface TypedObject {
  readonly object: unknown;
  readonly type: MergeType;
  readonly apiVersion: string;
}

/** The object as it is in the version of the request. */
export function typedObject(object: unknown, kind: OwnedKind): TypedObject {
  return { object, type: mergeTypeOf(kind.type), apiVersion: formatGroupVersion(kind.kind) };
}

/** The object in another version, or undefined when there is no such version. */
export function* inVersion(typed: TypedObject, apiVersion: string): Converting<TypedObject | undefined> {
  const [converted] = yield* allInVersion([typed], apiVersion);
  return converted;
}

/** The same for objects of one version, which are converted together; an empty list when there is no such version. */
function* allInVersion(all: readonly TypedObject[], apiVersion: string): Converting<readonly TypedObject[]> {
  if (all.every((typed) => typed.apiVersion === apiVersion)) return all;
  const converted = yield { objects: all.map(({ object }) => object), apiVersion };
  if (converted === undefined) return [];
  const type = mergeTypeOf(converted.type);
  return converted.objects.map((object) => ({ object, type, apiVersion }));
}

/** Versions beside the object's own that managers wrote in: nearly always none. */
export function otherVersions(managers: FieldManagers, own: string): readonly string[] {
  let others: Set<string> | undefined;
  for (const { apiVersion } of managers.values()) if (apiVersion !== own) (others ??= new Set()).add(apiVersion);
  return others === undefined ? NONE : [...others];
}

const NONE: readonly string[] = [];

/** What a write changes, in its own version and in those that it was asked to compare. */
export class VersionedChange {
  readonly #before: TypedObject;
  readonly #after: TypedObject;
  readonly #filter: FieldFilter | undefined;
  readonly #own: Comparison;
  #others: Map<string, Comparison> | undefined;

  constructor(before: TypedObject, after: TypedObject, { filter }: OwnedKind) {
    this.#before = before;
    this.#after = after;
    this.#filter = filter;
    this.#own = this.#compare(before, after);
  }

  /** Compares in other versions as well, as far as there are such. */
  *compareIn(apiVersions: readonly string[]): Converting<void> {
    for (const apiVersion of apiVersions) {
      const [before, after] = yield* allInVersion([this.#before, this.#after], apiVersion);
      if (before !== undefined && after !== undefined)
        (this.#others ??= new Map()).set(apiVersion, this.#compare(before, after));
    }
  }

  /** Undefined when there is no such version. */
  in(apiVersion: string): Comparison | undefined {
    return apiVersion === this.#before.apiVersion ? this.#own : this.#others?.get(apiVersion);
  }

  #compare(before: TypedObject, after: TypedObject): Comparison {
    return filtered(compareObjects(before.object, after.object, before.type), this.#filter);
  }
}

function filtered(comparison: Comparison, filter: FieldFilter | undefined): Comparison {
  if (filter === undefined) return comparison;
  const { added, modified, removed } = comparison;
  return { added: filter(added), modified: filter(modified), removed: filter(removed) };
}

/** What ownership has to know about the objects it is about: one kind in one version, written whole or by a subresource. */
export interface OwnedKind {
  readonly kind: GroupVersionKind;
  readonly type: Struct;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** What a write here can change; absent: everything. */
  readonly filter?: FieldFilter;
}

/** Leaves of a set only what a write can change. */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** Takes away paths, given by names of fields, and all below them: what a write cannot change, because it is reset. */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = fieldSet(...paths.map((path) => path.map(fieldElement)));
  return (set) => differenceBelow(set, excluded);
}
