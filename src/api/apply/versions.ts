import { formatGroupVersion } from '../values/index.ts';
import { withSentEmpty } from '../json/index.ts';
import { compareObjects, type Comparison } from './compare-objects.ts';
import type { Converting } from './conversion.ts';
import type { FieldManagers } from './field-managers.ts';
import { type MergeType, mergeTypeOf } from './merge-type.ts';
import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import { differenceBelow } from './field-set-algebra.ts';
import { type FieldSet, fieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** A value and its merge type, in one version. */
export interface TypedObject {
  readonly object: unknown;
  readonly type: MergeType;
  readonly apiVersion: string;
}

/** The object in the version of the request. */
export function typedObject(object: unknown, kind: OwnedKind): TypedObject {
  return { object: withSentEmpty(object), type: mergeTypeOf(kind.type), apiVersion: formatGroupVersion(kind.kind) };
}

/** The object in another version; undefined if that version does not exist. */
export function* inVersion(typed: TypedObject, apiVersion: string): Converting<TypedObject | undefined> {
  const [converted] = yield* allInVersion([typed], apiVersion);
  return converted;
}

/** The same for several objects of one version, converted together; empty if the version does not exist. */
function* allInVersion(all: readonly TypedObject[], apiVersion: string): Converting<readonly TypedObject[]> {
  if (all.every((typed) => typed.apiVersion === apiVersion)) return all;
  const converted = yield { objects: all.map(({ object }) => object), apiVersion };
  if (converted === undefined) return [];
  const type = mergeTypeOf(converted.type);
  return converted.objects.map((object) => ({ object, type, apiVersion }));
}

/** The versions other than the object's own that managers wrote in; usually none. */
export function otherVersions(managers: FieldManagers, own: string): readonly string[] {
  let others: Set<string> | undefined;
  for (const { apiVersion } of managers.values()) if (apiVersion !== own) (others ??= new Set()).add(apiVersion);
  return others === undefined ? NONE : [...others];
}

const NONE: readonly string[] = [];

/** The changes of a write, in its own version and in others on request. */
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

  /** Compares in these versions too, as far as they exist. */
  *compareIn(apiVersions: readonly string[]): Converting<void> {
    for (const apiVersion of apiVersions) {
      const [before, after] = yield* allInVersion([this.#before, this.#after], apiVersion);
      if (before !== undefined && after !== undefined)
        (this.#others ??= new Map()).set(apiVersion, this.#compare(before, after));
    }
  }

  /** Undefined if the version was not compared or does not exist. */
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

/** What ownership needs to know of the objects: their kind in one version, and the subresource that is written. */
export interface OwnedKind {
  readonly kind: GroupVersionKind;
  readonly type: Struct;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Limits a set to what a write here can change; default: everything. */
  readonly filter?: FieldFilter;
}

/** Limits a set to what a write can change. */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** Excludes these field paths and everything below them, because a write resets them. */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = fieldSet(...paths.map((path) => path.map(fieldElement)));
  return (set) => differenceBelow(set, excluded);
}
