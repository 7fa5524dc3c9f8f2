import { unreachable } from '../../base/index.ts';
import type { Field, Struct } from '../schema/schema.ts';
import { type PlainObject, setOwn } from './plain-object.ts';
import { type Convert } from './scalar-rules.ts';
import { scalarRule, shapeRule, type StructConverters } from './shape-rules.ts';
import type { Walk } from './walk.ts';

/** How one field of a struct gets into the canonical object. */
export interface FieldRule {
  readonly name: string;
  /** Writes what the field's value, or its absence (`undefined`), comes to; that may be nothing. */
  readonly write: (result: PlainObject, value: unknown, walk: Walk) => void;
  /** Whether absence may come to something: without, and with defaults filled in. */
  readonly showsAbsence: boolean;
  readonly showsAbsenceFilled: boolean;
}

export function fieldRule(field: Field, owner: Struct, converters: StructConverters): FieldRule {
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
      });
    }
    default:
      return unreachable(field.shape);
  }
}

/** Absent differs from zero; null is absent, unless the type says otherwise. */
function pointerRule(field: Field, convert: Convert): FieldRule {
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
      else if (fill !== undefined && walk.fills) setOwn(result, name, convert(fill, walk));
      else if (isAlways) setOwn(result, name, null);
    },
  };
}

function scalarValueRule(
  field: Field,
  convert: Convert,
  { zero, isOmitted }: { readonly zero: unknown; readonly isOmitted: boolean },
): FieldRule {
  const { name } = field;
  const fill = fillOf(field);
  return {
    name,
    showsAbsence: !isOmitted,
    showsAbsenceFilled: !isOmitted || fill !== undefined,
    write: (result, value, walk) => {
      let scalar = value === null || value === undefined ? zero : convert(value, walk);
      if (scalar === zero || scalar === '') {
        if (fill !== undefined && walk.fills) scalar = convert(fill, walk);
        if (isOmitted && (scalar === zero || scalar === '')) return;
      }
      setOwn(result, name, scalar);
    },
  };
}

/** A struct value is always there, if only as `{}`; `omitzero` leaves that out. */
function structRule(field: Field, convert: Convert): FieldRule {
  const { name } = field;
  const fill = fillOf(field);
  const isOmitted = field.omit === 'zero';
  return {
    name,
    showsAbsence: !isOmitted,
    showsAbsenceFilled: true,
    write: (result, value, walk) => {
      const isBlank = value === null || value === undefined || (fill !== undefined && isEmpty(value));
      const struct = convert(isBlank ? (walk.fills ? (fill ?? {}) : {}) : value, walk) as PlainObject;
      if (!isOmitted || !isEmpty(struct)) setOwn(result, name, struct);
    },
  };
}

/** Empty lists and maps are left out, or become null: storage is protobuf upstream, which cannot tell them from absent ones. */
function collectionRule(field: Field, convert: Convert): FieldRule {
  const { name } = field;
  const fill = fillOf(field);
  const isAlways = field.omit === 'never';
  return {
    name,
    showsAbsence: isAlways,
    showsAbsenceFilled: isAlways || fill !== undefined,
    write: (result, value, walk) => {
      let collection = value === null || value === undefined ? undefined : convert(value, walk);
      if (fill !== undefined && walk.fills && isEmpty(collection)) collection = convert(fill, walk);
      if (!isEmpty(collection)) setOwn(result, name, collection);
      else if (isAlways) setOwn(result, name, null);
    },
  };
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
