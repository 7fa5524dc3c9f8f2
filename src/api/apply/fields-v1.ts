import type { PlainObject } from '../json/index.ts';
import type { FieldSet } from './field-set.ts';
import { EMPTY_SET, FieldSetBuilder } from './field-set.ts';
import { FieldsError, parseElement } from './parse-element.ts';
import type { PathElement } from './path-element.ts';

/** Sets by the JSON they were read from, so that an unchanged entry is not parsed again. */
const known = new WeakMap<object, FieldSet>();

/**
 * Parses FieldsV1 JSON: `{"f:spec":{"f:replicas":{}}}` is the path `.spec.replicas`, and the key "." in an object says that
 * the path to the object is in the set too.
 *
 * Throws a FieldsError. `fields` must not be changed afterwards.
 */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return EMPTY_SET;
  if (typeof fields !== 'object' || Array.isArray(fields)) throw new FieldsError('expect { or n');
  const before = (fields as { readonly [SET]?: FieldSet })[SET] ?? known.get(fields);
  if (before !== undefined) return before;
  const set = parseLevel(fields).children;
  known.set(fields, set);
  return set;
}

interface Level {
  readonly isMember: boolean;
  readonly children: FieldSet;
}

function parseLevel(fields: unknown): Level {
  if (fields !== null && (typeof fields !== 'object' || Array.isArray(fields))) throw new FieldsError('expect { or n');
  const below = new Map<string, { readonly element: PathElement; readonly level: Level }>();
  let isMember = false;
  for (const key in fields) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const level = parseLevel((fields as PlainObject)[key]);
    below.set(element.text, { element, level });
  }
  const builder = new FieldSetBuilder();
  for (const { element, level } of below.values()) builder.add(element, level.isMember, level.children);
  const children = builder.finish();
  return { isMember: isMember || children.isEmpty, children };
}

/** The hidden property of printed JSON that holds its set. */
const SET: unique symbol = Symbol('set');

/** The JSON of a set: sorted, the same object every time, and read-only. */
export function printFieldsV1(set: FieldSet): PlainObject {
  const printed: PlainObject & { [SET]?: FieldSet } = printLevel(set, false);
  if (printed[SET] !== undefined) return printed;
  if (Object.isExtensible(printed)) Object.defineProperty(printed, SET, { value: set });
  else known.set(printed, set);
  return printed;
}

function printLevel(set: FieldSet, isMember: boolean): PlainObject {
  const before = isMember ? set.printedBelowMember : set.printed;
  if (before !== undefined) return before;
  const result = levelFor(set);
  if (isMember) result['.'] = NOTHING;
  for (const { element, isMember: isOwn, children } of set.entries) {
    result[element.text] = children.isEmpty ? NOTHING : printLevel(children, isOwn);
  }
  if (isMember) set.printedBelowMember = result;
  else set.printed = result;
  return result;
}

/**
 * An object to print a level into. Keys that contain values, such as addresses, differ between objects, and V8 would make a
 * hidden class for each; objects without a prototype avoid that.
 */
function levelFor({ entries }: FieldSet): PlainObject {
  const hasValues = entries.some(({ element }) => element.kind !== 'field');
  return hasValues ? (Object.create(null) as PlainObject) : {};
}

const NOTHING: PlainObject = Object.freeze({});
