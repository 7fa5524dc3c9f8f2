import type { Field, Struct } from '../schema/schema.ts';
import { isPlainObject, type PlainObject, setOwn } from './plain-object.ts';
import { noteSentEmpty } from './sent-empty.ts';
import { countKeys, keepSorted, sortKeys } from './raw-json.ts';
import { StructuralPlan } from './structural-plan.ts';
import { MISMATCH, type Walk } from './walk.ts';
import { unreachable, withMembers } from '../../base/index.ts';
import type { Convert } from './scalar-rules.ts';
import { scalarRule, shapeRule, type StructConverters } from './shape-rules.ts';

/**
 * How the objects of one struct are made canonical. Compiled once per struct, on first use.
 *
 * It iterates the keys of the input, not the fields of the type: a Volume has 31 fields, and two are set.
 */
export class StructPlan {
  readonly #indexOf = new Map<string, number>();
  readonly #rules: readonly FieldRule[];
  /** Fields that appear in the result even if the input lacks them, without and with defaults. */
  readonly #always: readonly number[];
  readonly #alwaysFilled: readonly number[];
  readonly #preservesUnknown: boolean;

  constructor(struct: Struct) {
    this.#rules = struct.fields.map((field) => fieldRule(field, struct, planOf));
    for (const [index, rule] of this.#rules.entries()) this.#indexOf.set(rule.name, index);
    const indexes = [...this.#rules.keys()];
    this.#always = indexes.filter((index) => this.#rules[index]?.showsAbsence);
    this.#alwaysFilled = indexes.filter((index) => this.#rules[index]?.showsAbsenceFilled);
    this.#preservesUnknown = struct.preservesUnknown;
  }

  convert(value: unknown, walk: Walk): PlainObject {
    if (!isPlainObject(value)) throw MISMATCH;
    walk.enter();
    const source = value;
    const { found, foundCount: first } = walk;
    let unknown: string[] | undefined;
    let last = -1;
    let isOrdered = true;
    for (const key in source) {
      walk.keys += 1;
      const index = this.#indexOf.get(key);
      if (index === undefined) {
        (unknown ??= []).push(key);
      } else {
        if (index < last) isOrdered = false;
        last = index;
        found[walk.foundCount++] = index;
      }
    }
    if (!isOrdered) sortFew(found, first, walk.foundCount);
    const result = this.#write(source, first, walk);
    walk.foundCount = first;
    if (unknown !== undefined) this.#meetUnknown(source, { unknown, result, walk });
    walk.leave();
    return this.#preservesUnknown && unknown !== undefined ? sorted(result) : result;
  }

  /** `first` is the index of the first field that was found. */
  #write(source: PlainObject, first: number, walk: Walk): PlainObject {
    const { known, found, foundCount } = walk;
    walk.known = undefined;
    const result: PlainObject = {};
    const always = walk.fills ? this.#alwaysFilled : this.#always;
    let next = 0;
    for (let at = first; at < foundCount; at++) {
      const index = found[at] as number;
      while (next < always.length && (always[next] as number) < index) {
        this.#rules[always[next] as number]?.write(result, undefined, walk);
        next += 1;
      }
      if (always[next] === index) next += 1;
      const rule = this.#rules[index] as FieldRule;
      const member = source[rule.name];
      if (known === undefined) rule.write(result, member, walk);
      else writeChanged(rule, { result, member, known: known[rule.name], walk });
    }
    for (; next < always.length; next++) {
      this.#rules[always[next] as number]?.write(result, undefined, walk);
    }
    return result;
  }

  #meetUnknown(
    source: PlainObject,
    {
      unknown,
      result,
      walk,
    }: { readonly unknown: readonly string[]; readonly result: PlainObject; readonly walk: Walk },
  ): void {
    for (const key of unknown) {
      const value = source[key];
      if (this.#preservesUnknown) {
        if (value !== undefined) setOwn(result, key, keepSorted(value, walk));
      } else {
        walk.unknownFields += 1;
        walk.keys += countKeys(value);
      }
    }
  }
}

interface MemberChange {
  readonly result: PlainObject;
  readonly member: unknown;
  readonly known: unknown;
  readonly walk: Walk;
}

/** Reuses the known member if it is the same, and otherwise writes the converted one. */
function writeChanged(rule: FieldRule, { result, member, known, walk }: MemberChange): void {
  if (member === known && typeof member === 'object' && Object.isFrozen(member)) {
    setOwn(result, rule.name, member);
    return;
  }
  if (rule.isStruct && isPlainObject(known)) walk.known = known;
  rule.write(result, member, walk);
  walk.known = undefined;
}

const plans = new WeakMap<Struct, StructPlan | StructuralPlan>();

/** The plan of a struct, compiled on first use. */
export function planOf(struct: Struct): StructPlan | StructuralPlan {
  let plan = plans.get(struct);
  if (plan === undefined) {
    plan = struct.isStructural === true ? new StructuralPlan(struct, planOf) : new StructPlan(struct);
    plans.set(struct, plan);
  }
  return plan;
}

/** Sorts a range of the numbers in place; structs have few fields, and Array.sort would need more memory than the struct. */
function sortFew(numbers: number[], from: number, to: number): void {
  for (let end = from + 1; end < to; end++) {
    const number = numbers[end] as number;
    let at = end;
    for (; at > from && (numbers[at - 1] as number) > number; at--) numbers[at] = numbers[at - 1] as number;
    numbers[at] = number;
  }
}

/** Known and unknown fields in one order, that of a Go map. */
function sorted(source: PlainObject): PlainObject {
  const keys = Object.keys(source);
  sortKeys(keys);
  const result: PlainObject = {};
  for (const key of keys) setOwn(result, key, source[key]);
  return result;
}

/** How one field of a struct is written to the canonical object. */
interface FieldRule {
  readonly name: string;
  readonly isStruct: boolean;
  /** Writes the result for the field's value, or for its absence (`undefined`); that may be nothing. */
  readonly write: (result: PlainObject, value: unknown, walk: Walk) => void;
  /** Whether absence may produce a value: without, and with defaults. */
  readonly showsAbsence: boolean;
  readonly showsAbsenceFilled: boolean;
}

function fieldRule(field: Field, owner: Struct, converters: StructConverters): FieldRule {
  return withMembers(presenceRule(field, owner, converters), { isStruct: field.shape.kind === 'struct' });
}

type PresenceRule = Omit<FieldRule, 'isStruct'>;

function presenceRule(field: Field, owner: Struct, converters: StructConverters): PresenceRule {
  if (field.presence === 'pointer') return pointerRule(field, shapeRule(field.shape, owner, converters).convert);
  switch (field.shape.kind) {
    case 'struct':
      return structRule(field, shapeRule(field.shape, owner, converters).convert);
    case 'list':
    case 'map':
      return collectionRule(field, shapeRule(field.shape, owner, converters).convert);
    case 'scalar': {
      const { convert, zero, isOmitted } = scalarRule(field.shape.scalar, owner, converters);
      return scalarValueRule(field, convert, {
        zero,
        isOmitted: isOmitted ? field.omit !== 'never' : field.omit === 'zero',
        isBytes: field.shape.scalar === 'bytes',
      });
    }
    default:
      return unreachable(field.shape);
  }
}

/** Absent differs from zero; null is absent, unless the type says otherwise. */
function pointerRule(field: Field, convert: Convert): PresenceRule {
  const { name } = field;
  const nullable = field.shape.constraints?.nullable === true;
  const fill = fillOf(field);
  const isAlways = field.omit === 'never';
  return {
    name,
    showsAbsence: isAlways,
    showsAbsenceFilled: isAlways || fill !== undefined,
    write: (result, value, walk) => {
      if (value !== null && value !== undefined) setOwn(result, name, convert(value, walk));
      else if (value === null && nullable) setOwn(result, name, null);
      else if (fill !== undefined && walk.fills) setOwn(result, name, filled(fill, convert, walk));
      else if (isAlways) setOwn(result, name, null);
    },
  };
}

function scalarValueRule(
  field: Field,
  convert: Convert,
  { zero, isOmitted, isBytes }: { readonly zero: unknown; readonly isOmitted: boolean; readonly isBytes: boolean },
): PresenceRule {
  const { name } = field;
  const fill = fillOf(field);
  return {
    name,
    showsAbsence: !isOmitted,
    showsAbsenceFilled: !isOmitted || fill !== undefined,
    write: (result, value, walk) => {
      let scalar = value === null || value === undefined ? zero : convert(value, walk);
      if (scalar === zero || scalar === '') {
        if (fill !== undefined && walk.fills) scalar = filled(fill, convert, walk);
        if (isBytes && value === '') noteSentEmpty(result, name, []);
        if (isOmitted && (scalar === zero || scalar === '')) return;
      }
      setOwn(result, name, scalar);
    },
  };
}

/** A struct value is always present, at least as `{}`; `omitzero` omits that. */
function structRule(field: Field, convert: Convert): PresenceRule {
  const { name } = field;
  const fill = fillOf(field);
  const isOmitted = field.omit === 'zero';
  return {
    name,
    showsAbsence: !isOmitted,
    showsAbsenceFilled: true,
    write: (result, value, walk) => {
      const isBlank = value === null || value === undefined || (fill !== undefined && isEmpty(value));
      const struct = (
        isBlank ? filled(walk.fills ? (fill ?? {}) : {}, convert, walk) : convert(value, walk)
      ) as PlainObject;
      if (!isOmitted || !isEmpty(struct)) setOwn(result, name, struct);
    },
  };
}

/**
 * Empty lists and maps are omitted or become null: upstream stores protobuf, which cannot distinguish them from absent
 * ones.
 */
function collectionRule(field: Field, convert: Convert): PresenceRule {
  const { name } = field;
  const fill = fillOf(field);
  const isAlways = field.omit === 'never';
  return {
    name,
    showsAbsence: isAlways,
    showsAbsenceFilled: isAlways || fill !== undefined,
    write: (result, value, walk) => {
      const { keys } = walk;
      let collection = value === null || value === undefined ? undefined : convert(value, walk);
      // Looking up one key of a large map costs as much as iterating it; that it has keys is already known.
      if (walk.keys > keys && !Array.isArray(collection)) {
        setOwn(result, name, collection);
        return;
      }
      if (fill !== undefined && walk.fills && isEmpty(collection)) collection = filled(fill, convert, walk);
      if (!isEmpty(collection)) {
        setOwn(result, name, collection);
        return;
      }
      noteSentEmpty(result, name, collection);
      if (isAlways) setOwn(result, name, null);
    },
  };
}

/** Converts a default, whose keys are not counted because the client did not send them. */
function filled(fill: unknown, convert: Convert, walk: Walk): unknown {
  const { keys } = walk;
  const value = convert(fill, walk);
  walk.keys = keys;
  return value;
}

function fillOf(field: Field): unknown {
  const { constraints } = field.shape;
  return constraints?.default ?? constraints?.fill;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}
