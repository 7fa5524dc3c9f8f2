import { LIST_CREATE, MAP_CREATE, STRUCT_CREATE } from '../cost/factors.ts';
import { CelError, Failure, goText, MapValue, NONE, Optional, requireHashable, type Value } from '../values/index.ts';
import type { Evaluate } from './frame.ts';
import type { TypeProvider } from '../check/type-provider.ts';

/** `[a, ?b]`. */
export function listLiteral(elements: readonly Evaluate[], optionals: ReadonlySet<number>): Evaluate {
  return (frame) => {
    const items: Value[] = [];
    for (const [at, element] of elements.entries()) {
      let value = element(frame);
      if (optionals.has(at) && !(value instanceof Failure)) {
        if (!(value instanceof Optional)) value = wrongElement(value);
        else if (value.value === undefined) continue;
        else ({ value } = value as { readonly value: Value });
      }
      if (value instanceof Failure) {
        frame.charge(LIST_CREATE);
        return value;
      }
      items.push(value);
    }
    frame.charge(LIST_CREATE);
    return items;
  };
}

function wrongElement(value: Value): CelError {
  return new CelError(`cannot initialize optional list element from non-optional value ${goText(value)}`);
}

export interface EntryEvaluators {
  readonly key: Evaluate;
  readonly value: Evaluate;
  readonly isOptional: boolean;
}

/** `{a: b, ?c: d}`. */
export function mapLiteral(entries: readonly EntryEvaluators[]): Evaluate {
  return (frame) => {
    const map = new MapValue();
    for (const entry of entries) {
      const key = entry.key(frame);
      const value = key instanceof Failure ? key : entry.value(frame);
      const failure = value instanceof Failure ? value : insertEntry(map, { key, value, isOptional: entry.isOptional });
      if (failure !== undefined) {
        frame.charge(MAP_CREATE);
        return failure;
      }
    }
    frame.charge(MAP_CREATE);
    return map;
  };
}

function insertEntry(
  map: MapValue,
  { key, value, isOptional }: { readonly key: Value; readonly value: Value; readonly isOptional: boolean },
): CelError | undefined {
  requireHashable(key);
  if (!isOptional) {
    map.set(key, value);
    return undefined;
  }
  if (!(value instanceof Optional)) return wrongEntry(goText(key), value);
  if (value.value === undefined) map.delete(key);
  else map.set(key, value.value);
  return undefined;
}

/** The error for an entry or field written with `?` whose value is not an optional. */
export function wrongEntry(name: string, value: Value): CelError {
  return new CelError(`cannot initialize optional entry '${name}' from non-optional value ${goText(value)}`);
}

interface PlannedField {
  readonly name: string;
  readonly value: Evaluate;
  readonly isOptional: boolean;
}

/** `Type{field: value, ?other: value}`. */
export function structLiteral(typeName: string, fields: readonly PlannedField[], types: TypeProvider): Evaluate {
  return (frame) => {
    const values = new Map<string, Value>();
    for (const { name, isOptional, value: evaluate } of fields) {
      const value = evaluate(frame);
      const failure = value instanceof Failure ? value : setField(values, name, { value, isOptional });
      if (failure !== undefined) {
        frame.charge(STRUCT_CREATE);
        return failure;
      }
    }
    frame.charge(STRUCT_CREATE);
    const made = types.create?.(typeName, values);
    return made === undefined ? new CelError(`unknown type '${typeName}'`) : made;
  };
}

function setField(
  values: Map<string, Value>,
  name: string,
  { value, isOptional }: { readonly value: Value; readonly isOptional: boolean },
): CelError | undefined {
  if (!isOptional) {
    values.set(name, value);
    return undefined;
  }
  if (!(value instanceof Optional)) return wrongEntry(name, value);
  if (value === NONE || value.value === undefined) values.delete(name);
  else values.set(name, value.value);
  return undefined;
}
