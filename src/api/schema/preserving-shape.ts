import type { Shape } from './schema.ts';

const known = new WeakMap<Shape, Shape>();

/** The shape of the items of a list that preserves unknown fields: the items preserve them too, but not what is below. */
export function preservingShape(shape: Shape): Shape {
  let preserving = known.get(shape);
  if (preserving === undefined) known.set(shape, (preserving = make(shape)));
  return preserving;
}

function make(shape: Shape): Shape {
  if (shape.kind === 'map') return shape; // it describes all its values
  const constraints = { ...shape.constraints, preservesUnknown: true };
  if (shape.kind !== 'struct') return { ...shape, constraints };
  const { name, shortName, fields, field, kind, isAtomic, isStructural = false, unions } = shape.struct;
  const struct = {
    name,
    shortName,
    fields,
    field,
    kind,
    isAtomic,
    isStructural,
    unions,
    constraints,
    preservesUnknown: true,
  };
  return { ...shape, constraints, struct };
}
