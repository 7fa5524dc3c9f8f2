import type { Struct } from '../schema/schema.ts';
import { fieldRule, type FieldRule } from './field-rule.ts';
import { isPlainObject, type PlainObject, setOwn } from './plain-object.ts';
import { countKeys, keepSorted, sortKeys } from './raw-json.ts';
import { StructuralPlan } from './structural-plan.ts';
import { MISMATCH, type Walk } from './walk.ts';

/**
 * How the objects of one struct are made canonical. Compiled once per struct, when first needed.
 *
 * It goes through the keys that are there, not through the fields that could be: a Volume has 31, and two are set.
 */
export class StructPlan {
  readonly #indexOf = new Map<string, number>();
  readonly #rules: readonly FieldRule[];
  /** Fields that appear in the result although the input lacks them, without and with defaults. */
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
    const found: number[] = [];
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
        found.push(index);
      }
    }
    if (!isOrdered) found.sort(ascending);
    const result = this.#write(source, found, walk);
    if (unknown !== undefined) this.#meetUnknown(source, { unknown, result, walk });
    walk.leave();
    return this.#preservesUnknown && unknown !== undefined ? sorted(result) : result;
  }

  #write(source: PlainObject, found: readonly number[], walk: Walk): PlainObject {
    const result: PlainObject = {};
    const always = walk.fills ? this.#alwaysFilled : this.#always;
    let next = 0;
    for (let at = 0; at < found.length; at++) {
      const index = found[at] as number;
      while (next < always.length && (always[next] as number) < index) {
        this.#rules[always[next] as number]?.write(result, undefined, walk);
        next += 1;
      }
      if (always[next] === index) next += 1;
      const rule = this.#rules[index] as FieldRule;
      rule.write(result, source[rule.name], walk);
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

const plans = new WeakMap<Struct, StructPlan | StructuralPlan>();

/** The plan of a struct, compiled when first asked for. */
export function planOf(struct: Struct): StructPlan | StructuralPlan {
  let plan = plans.get(struct);
  if (plan === undefined) {
    plan = struct.isStructural === true ? new StructuralPlan(struct, planOf) : new StructPlan(struct);
    plans.set(struct, plan);
  }
  return plan;
}

function ascending(left: number, right: number): number {
  return left - right;
}

/** Named and unnamed fields in one order, that of a Go map. */
function sorted(source: PlainObject): PlainObject {
  const keys = Object.keys(source);
  sortKeys(keys);
  const result: PlainObject = {};
  for (const key of keys) setOwn(result, key, source[key]);
  return result;
}
