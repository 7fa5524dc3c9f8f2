import { allAtOnce, clone, type Steps } from '../../base/index.ts';
import { isPlainObject, type PlainObject, setOwn } from '../json/plain-object.ts';
import type { Struct } from '../schema/schema.ts';
import { goType } from './go-value-text.ts';
import {
  DELETE_FROM_LIST,
  DIRECTIVE,
  discardNulls,
  DROPPED,
  ELEMENT_ORDER,
  listNameIn,
  RETAIN_KEYS,
  withoutDirectives,
} from './strategic-merge-directives.ts';
import { mergeOrderedLists } from './strategic-merge-element-order.ts';
import { badDirective, badFormat } from './strategic-merge-error.ts';
import { mergePatchList } from './strategic-merge-lists.ts';
import { type PatchSchema, ruleForList, ruleForMap, structSchema } from './strategic-merge-schema.ts';

export interface StrategicallyMerged {
  readonly patched: PlainObject;
  /** The rest of the patch after its directives were processed; messages quote it. */
  readonly patch: PlainObject;
}

/**
 * Applies a strategic merge patch: objects are merged member by member, lists by the keys and strategies of their type,
 * null removes, and directives add the rest.
 *
 * Changes neither `target` nor `patch`; takes time linear in their size. Throws a StrategicMergeError. Neither may be
 * nested deeper than decoding allows.
 */
export function applyStrategicMergePatch(target: PlainObject, patch: PlainObject, type: Struct): StrategicallyMerged {
  return allAtOnce(strategicMerging(target, patch, type));
}

/** The same in steps. */
export function* strategicMerging(target: PlainObject, patch: PlainObject, type: Struct): Steps<StrategicallyMerged> {
  const own = clone(patch);
  yield;
  return { patched: mergeMaps(target, own, structSchema(type)), patch: own };
}

/** May change the patch; parts of it go into the result. */
function mergeMaps(original: PlainObject, patch: PlainObject, schema: PatchSchema): PlainObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return replaced(patch);
  const result = retained(original, patch);
  mergeOrderedLists(result, patch, { schema, mergeMaps });
  for (const key of Object.keys(patch)) mergeMember(result, key, { value: patch[key], schema });
  return result;
}

function replaced(patch: PlainObject): PlainObject {
  switch (patch[DIRECTIVE]) {
    case 'replace':
      delete patch[DIRECTIVE];
      return patch;
    case 'delete':
      return {};
    default:
      throw badDirective(patch[DIRECTIVE], patch);
  }
}

/** A copy of the object with the members to retain, or with all of them. */
function retained(original: PlainObject, patch: PlainObject): PlainObject {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return { ...original };
  const names = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(names)) throw badFormat('retainKeys');
  const kept = new Set<unknown>(names);
  for (const [name, value] of Object.entries(patch)) {
    const isDirective = name.startsWith(DELETE_FROM_LIST) || name.startsWith(ELEMENT_ORDER);
    if (value !== null && !isDirective && !kept.has(name)) throw badFormat('retainKeys');
  }
  const result: PlainObject = {};
  for (const [name, value] of Object.entries(original)) if (kept.has(name)) setOwn(result, name, value);
  return result;
}

interface MemberPatch {
  readonly value: unknown;
  readonly schema: PatchSchema;
}

function mergeMember(result: PlainObject, key: string, { value, schema }: MemberPatch): void {
  const isDeletion = key.startsWith(DELETE_FROM_LIST);
  const name = isDeletion ? listNameIn(key, DELETE_FROM_LIST) : key;
  if (name === undefined) throw badFormat('primitive list');
  if (value === null) {
    delete result[name];
    return;
  }
  const own = Object.hasOwn(result, name) ? result[name] : undefined;
  if (own === undefined || goType(own) !== goType(value)) {
    if (isDeletion) return;
    discardNulls(value);
    setOrDrop(result, name, withoutDirectives(value));
  } else if (isPlainObject(own)) {
    const rule = ruleForMap(schema, name);
    const patch = value as PlainObject;
    setOwn(result, name, rule.strategy === 'replace' ? patch : mergeMaps(own, patch, rule.schema));
  } else if (Array.isArray(own)) {
    const rule = ruleForList(schema, name);
    setOwn(result, name, mergePatchList(own, value as readonly unknown[], { rule, isDeletion, mergeMaps }));
  } else {
    setOrDrop(result, name, withoutDirectives(value));
  }
}

function setOrDrop(result: PlainObject, name: string, value: unknown): void {
  if (value === DROPPED) delete result[name];
  else setOwn(result, name, value);
}
