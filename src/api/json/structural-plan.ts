import { isUndescribed } from '../schema/correlation.ts';
import { preservingShape } from '../schema/preserving-shape.ts';
import type { Field, Shape, Struct } from '../schema/schema.ts';
import { encodeJson } from './encode-json.ts';
import { isPlainObject, type PlainObject, setOwn } from './plain-object.ts';
import { countKeys, keepSorted, sortKeys } from './raw-json.ts';
import type { Convert } from './scalar-rules.ts';
import type { StructConverters } from './shape-rules.ts';
import { MISMATCH, Walk } from './walk.ts';

/**
 * How the objects of a structural type are made canonical: keys sorted, unknown fields pruned, nulls and absent fields
 * replaced by defaults. Values of a wrong type are kept for validation. Compiled on first use.
 */
export class StructuralPlan {
  readonly #struct: Struct;
  readonly #converters: StructConverters;
  readonly #fields = new Map<string, Convert>();
  readonly #filled: readonly Field[];
  /** True for an embedded object with its own metadata. */
  readonly #isEmbedded: boolean;

  constructor(struct: Struct, converters: StructConverters) {
    this.#struct = struct;
    this.#converters = converters;
    this.#isEmbedded = struct.constraints?.isEmbedded === true;
    this.#filled = struct.fields.filter(({ shape }) => hasDefault(shape));
  }

  convert(value: unknown, walk: Walk): PlainObject {
    if (!isPlainObject(value) && this.#struct.kind !== undefined) throw MISMATCH;
    if (!isPlainObject(value)) return strangeValue(value, this.#struct.preservesUnknown, walk) as PlainObject;
    walk.enter();
    const names = Object.keys(value);
    walk.keys += names.length;
    if (walk.fills) {
      for (const { name } of this.#filled)
        if (value[name] === undefined && !Object.hasOwn(value, name)) names.push(name);
    }
    if (this.#struct.kind !== undefined && !Object.hasOwn(value, 'metadata')) names.push('metadata');
    sortKeys(names);
    const result: PlainObject = {};
    for (const name of names) this.#write(result, name, { value: value[name], walk });
    walk.leave();
    return result;
  }

  #write(result: PlainObject, name: string, { value, walk }: { readonly value: unknown; readonly walk: Walk }): void {
    const field = this.#struct.field(name);
    if (field !== undefined) {
      const kept = this.#keep(field, value, walk);
      if (kept !== undefined) setOwn(result, name, kept);
    } else if (this.#struct.preservesUnknown) {
      setOwn(result, name, keepSorted(value, walk));
    } else {
      walk.unknownFields += 1;
      walk.keys += countKeys(value);
    }
  }

  #keep({ name, shape, isImplied }: Field, value: unknown, walk: Walk): unknown {
    let convert = this.#fields.get(name);
    if (convert === undefined) this.#fields.set(name, (convert = converterOf(shape, this.#converters)));
    const isOutermost = this.#struct.kind !== undefined;
    if (shape.kind === 'struct' && shape.struct.isStructural !== true) {
      // Metadata: if the schema names it, null is pruned before it could count as empty metadata.
      if (value === null && isImplied !== true && !isOutermost) return undefined;
      return walk.forgives ? validPart(value ?? {}, convert) : convert(value ?? {}, walk);
    }
    if (!isOutermost && this.#isEmbedded && (name === 'apiVersion' || name === 'kind')) {
      if (typeof value !== 'string' && (value !== null || isImplied === true)) {
        if (walk.forgives) return undefined;
        throw MISMATCH;
      }
    }
    return keptMember(value, { shape, convert, walk });
  }
}

/** The readable fields of metadata. */
function validPart(value: unknown, convert: Convert): unknown {
  const attempt = (part: unknown): unknown => {
    try {
      return convert(part, new Walk({ fills: false, owns: false }));
    } catch (error) {
      if (error === MISMATCH) return undefined;
      throw error;
    }
  };
  const whole = attempt(value);
  if (whole !== undefined || !isPlainObject(value)) return whole;
  const valid = Object.entries(value).filter(([name, part]) => attempt({ [name]: part }) !== undefined);
  return attempt(Object.fromEntries(valid));
}

interface Member {
  readonly shape: Shape;
  readonly convert: Convert;
  readonly walk: Walk;
}

/** The result for a member: null is kept only if the schema allows it, or until a default replaces it. */
function keptMember(value: unknown, { shape, convert, walk }: Member): unknown {
  if (value !== undefined && (value !== null || shape.constraints?.nullable === true)) {
    return value === null ? null : convert(value, walk);
  }
  if (!hasDefault(shape)) return isUndescribed(shape) ? value : undefined;
  if (!walk.fills) return value;
  const { keys, unknownFields } = walk; // those of the input
  walk.fill(sizeOfDefault(shape));
  const filled = convert(shape.constraints?.default, walk);
  walk.keys = keys;
  walk.unknownFields = unknownFields;
  return filled;
}

const sizes = new WeakMap<object, number>();

/** The length of a default as JSON, measured once. */
function sizeOfDefault({ constraints }: Shape): number {
  const value = constraints?.default;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length : MAX_SCALAR_BYTES;
  let size = sizes.get(value);
  if (size === undefined) sizes.set(value, (size = encodeJson(value).length));
  return size;
}

const MAX_SCALAR_BYTES = 8;

function hasDefault({ constraints }: Shape): boolean {
  return constraints?.default !== undefined && constraints.default !== null;
}

function converterOf(shape: Shape, converters: StructConverters): Convert {
  const preserves = shape.constraints?.preservesUnknown === true;
  switch (shape.kind) {
    case 'scalar':
      return (value, walk) => strangeValue(value, preserves, walk);
    case 'struct': {
      let plan: ReturnType<StructConverters> | undefined;
      return (value, walk) => (plan ??= converters(shape.struct)).convert(value, walk);
    }
    case 'list': {
      const element = preserves ? preservingShape(shape.element) : shape.element;
      const convert = converterOf(element, converters);
      const item = (value: unknown, walk: Walk): unknown =>
        value === null ? (keptMember(null, { shape: element, convert, walk }) ?? null) : convert(value, walk);
      return (value, walk) => {
        if (!Array.isArray(value)) return strangeValue(value, preserves, walk);
        walk.enter();
        const items = value.map((one: unknown) => item(one, walk));
        walk.leave();
        return items;
      };
    }
    case 'map': {
      const convert = converterOf(shape.value, converters);
      return (value, walk) =>
        isPlainObject(value)
          ? convertMap(value, { shape: shape.value, convert, walk })
          : strangeValue(value, preserves, walk);
    }
  }
}

function convertMap(source: PlainObject, { shape, convert, walk }: Member): PlainObject {
  walk.enter();
  const names = Object.keys(source);
  walk.keys += names.length;
  sortKeys(names);
  const result: PlainObject = {};
  for (const name of names) {
    const kept = keptMember(source[name], { shape, convert, walk });
    if (kept !== undefined) setOwn(result, name, kept);
  }
  walk.leave();
  return result;
}

/** A value whose parts the schema does not describe: all are kept, or all members of objects are pruned. */
function strangeValue(value: unknown, preserves: boolean, walk: Walk): unknown {
  if (preserves || typeof value !== 'object' || value === null) return keepSorted(value, walk);
  if (isPlainObject(value)) {
    walk.unknownFields += Object.keys(value).length;
    walk.keys += countKeys(value);
    return {};
  }
  if (!Array.isArray(value)) return keepSorted(value, walk);
  walk.enter();
  const items = value.map((item: unknown) => strangeValue(item, false, walk));
  walk.leave();
  return items;
}
