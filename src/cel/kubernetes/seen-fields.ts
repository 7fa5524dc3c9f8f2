import type { Field, Shape, Struct } from '../../api/index.ts';

const TEXT: Shape = { kind: 'scalar', scalar: 'string' };

/**
 * The fields of an object that rules of a schema can see: all, but of metadata only name and generateName. Metadata is
 * what is typed inside a structural type.
 */
export function seenFields(struct: Struct): readonly Field[] {
  if (struct.isStructural !== true) return struct.fields;
  return struct.fields.map((field) => ({ ...field, shape: seenShape(field.shape) }));
}

function seenShape(shape: Shape): Shape {
  if (shape.kind !== 'struct' || shape.struct.isStructural === true) return shape;
  const { struct } = shape;
  const names = ['generateName', 'name'].flatMap((name) => struct.field(name) ?? []);
  const areRuled = names.every(({ shape: { constraints } }) => constraints !== undefined);
  const fields = areRuled ? names : names.map((field) => ({ ...field, shape: TEXT }));
  return {
    kind: 'struct',
    struct: { ...struct, fields, field: (name) => fields.find((field) => field.name === name) },
  };
}
