import type { Field, Shape, Struct } from '../../api/index.ts';

const TEXT: Shape = { kind: 'scalar', scalar: 'string' };

/**
 * The fields of an object that schema rules can see: all, but of metadata only name and generateName, which are the
 * typed part of it in a structural schema.
 */
export function seenFields(struct: Struct): readonly Field[] {
  if (struct.isStructural !== true) return struct.fields;
  return struct.fields.map((field) => ({ ...field, shape: seenShape(field.shape) }));
}

function seenShape(shape: Shape): Shape {
  if (shape.kind !== 'struct' || shape.struct.isStructural === true) return shape;
  const { struct, constraints } = shape;
  const said = constraints?.properties ?? {};
  const isComplete = said['name']?.type === 'string' && said['generateName']?.type === 'string';
  const fields = ['generateName', 'name'].flatMap((name): Field[] => {
    const field = struct.field(name);
    return field === undefined ? [] : [{ ...field, shape: isComplete ? { ...TEXT, constraints: said[name] } : TEXT }];
  });
  return {
    kind: 'struct',
    struct: { ...struct, fields, field: (name) => fields.find((field) => field.name === name) },
  };
}
