import type { Shape } from './schema.ts';

const known = new WeakMap<Shape, Shape>();

/** The shape of the items of a list that keeps what its schema does not name: they keep it as well, but not what is in them. */
export function preservingShape(shape: Shape): Shape {
  let preserving = known.get(shape);
  if (preserving === undefined) known.set(shape, (preserving = make(shape)));
  return preserving;
}

function make(shape: Shape): Shape {
  if (shape.kind === 'map') return shape; // there is nothing that it does not describe
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
