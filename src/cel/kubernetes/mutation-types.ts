import type { TypeProvider } from '../check/type-provider.ts';
import { FieldedValue } from '../evaluate/qualify.ts';
import { DYN, NO_TYPE, objectType, STRING, type Type } from '../type-terms/index.ts';
import {
  CelError,
  deepEqualValues,
  goText,
  goTypeName,
  MapValue,
  nativeOf,
  goNativeName,
  type Value,
} from '../values/index.ts';

const OBJECT = 'Object';
const JSON_PATCH = 'JSONPatch';
const PATCH_FIELDS: Readonly<Record<string, Type>> = { op: STRING, path: STRING, from: STRING, value: DYN };

/** `Object{…}`, `Object.spec{…}` and so on: a part of an object to apply. */
export class ObjectValue extends FieldedValue {
  readonly goName = '*dynamic.ObjectVal';
  readonly #type: Type;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.#type = objectType(typeName);
    this.fields = fields;
  }

  override get type(): Type {
    return this.#type;
  }

  override get isTypedOnly(): boolean {
    return true;
  }

  get isZero(): boolean {
    return this.fields.size === 0;
  }

  get native(): Value {
    return MapValue.from([...this.fields].map(([name, value]) => [name, plainOf(value)]));
  }

  get(key: Value): Value {
    const value = this.fields.get(key as string);
    return value === undefined ? null : plainOf(value);
  }

  isSet(key: Value): boolean {
    return this.fields.has(key as string);
  }

  equals(other: Value): boolean {
    return (
      other instanceof ObjectValue && this.#type.name === other.type.name && deepEqualValues(this.fields, other.fields)
    );
  }

  /** The nested objects whose type names do not match their place, given that this one is at `path`. */
  typeNameProblems(path: string = this.#type.name): string[] {
    const problems = this.#type.name === path ? [] : [nameProblem(this.#type.name, path)];
    for (const [name, value] of this.fields) problems.push(...problemsIn(value, `${path}.${name}`));
    return problems;
  }
}

/** The value of a field in expressions: for objects, only their contents. */
function plainOf(value: Value): Value {
  return Array.isArray(value) ? (value as readonly Value[]).map(nativeOf) : nativeOf(value);
}

function nameProblem(name: string, path: string): string {
  return `unexpected type name "${name}", expected "${path}", which matches field name path from root Object type`;
}

function problemsIn(value: Value, path: string): string[] {
  if (value instanceof ObjectValue) return value.typeNameProblems(path);
  return Array.isArray(value) ? (value as readonly Value[]).flatMap((item) => problemsIn(item, path)) : [];
}

/** `JSONPatch{op: …, path: …}`: one operation. */
export class JsonPatchValue extends FieldedValue {
  readonly goName = '*mutation.JSONPatchVal';
  override readonly type = PATCH_TYPE;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(fields: ReadonlyMap<string, Value>) {
    super();
    this.fields = fields;
  }

  get(key: Value): Value {
    if (!Object.hasOwn(PATCH_FIELDS, String(key))) return new CelError(`unsupported indexer: ${goPrinted(key)}`);
    return this.fields.get(key as string) ?? (key === 'value' ? null : '');
  }

  isSet(key: Value): boolean | CelError {
    if (!Object.hasOwn(PATCH_FIELDS, String(key))) return new CelError(`unsupported field: ${goPrinted(key)}`);
    return key === 'value' ? this.fields.has('value') : this.get(key) !== '';
  }

  equals(other: Value): boolean {
    return other instanceof JsonPatchValue && deepEqualValues(this.fields, other.fields);
  }
}

const PATCH_TYPE = objectType(JSON_PATCH);

/**
 * The types that mutations are written with. `Object` accepts any field name. As in Kubernetes, an unknown field of a
 * `JSONPatch` is only found at evaluation.
 */
export const mutationTypes: TypeProvider = {
  findType(name) {
    if (name === JSON_PATCH) return PATCH_TYPE;
    return name === OBJECT || name.startsWith(`${OBJECT}.`) ? objectType(name) : undefined;
  },
  findField: (typeName, field) => (typeName === JSON_PATCH ? (PATCH_FIELDS[field] ?? NO_TYPE) : DYN),
  create: (typeName, fields) => (typeName === JSON_PATCH ? createPatch(fields) : new ObjectValue(typeName, fields)),
};

function createPatch(fields: ReadonlyMap<string, Value>): JsonPatchValue | CelError {
  for (const [name, value] of fields) {
    const type = PATCH_FIELDS[name];
    if (type === undefined) return new CelError(`unexpected JSONPatchType field: ${name}`);
    if (type !== STRING || typeof value === 'string') continue;
    return new CelError(`unexpected type ${goNativeName(value)} for JSONPatchType '${name}' field`);
  }
  return new JsonPatchValue(fields);
}

/** A key as Go's `%s` shows it. */
function goPrinted(key: Value): string {
  return typeof key === 'string' ? key : `%!s(${goTypeName(key)}=${goText(key)})`;
}
