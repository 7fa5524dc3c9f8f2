import type { Field, FieldError, Shape, Struct } from '../api/index.ts';

/**
 * Merges the type table's problems into a kind's own, which are in upstream's order already: field by field in the order of
 * upstream's checks, item by item, and problems of a whole before those of its parts.
 */
export function fitIn(table: readonly FieldError[], own: readonly FieldError[], type: Struct): readonly FieldError[] {
  if (table.length + own.length < 2) return own.length === 0 ? table : own;
  const shape: Shape = { kind: 'struct', struct: type };
  const steps = new Map([...table, ...own].map((error) => [error, stepsOf(error)]));
  const before = (left: FieldError, right: FieldError): number =>
    compare(steps.get(left) ?? [], steps.get(right) ?? [], shape);
  const result: FieldError[] = [];
  let next = 0;
  for (const error of table.toSorted(before)) {
    for (let other = own[next]; other !== undefined && before(error, other) > 0; other = own[next]) {
      result.push(other);
      next += 1;
    }
    result.push(error);
  }
  return [...result, ...own.slice(next)];
}

function stepsOf({ field }: FieldError): readonly string[] {
  return field.match(/[^.[\]]+|\[[^\]]*\]/g) ?? [];
}

function compare(left: readonly string[], right: readonly string[], type: Shape): number {
  let shape: Shape | undefined = type;
  for (const [depth, step] of left.entries()) {
    const other = right[depth];
    if (other === undefined) return 1;
    if (step !== other) return rank(step, shape) - rank(other, shape);
    shape = shapeBelow(shape, step);
  }
  return left.length - right.length;
}

/** Items by index, fields by the order of upstream's checks, anything else in the order found. */
function rank(step: string, shape: Shape | undefined): number {
  if (shape?.kind === 'list') return Number(step.slice(1, -1));
  if (shape?.kind !== 'struct') return 0;
  const { fields, checkedFirst: first = [] } = shape.struct;
  const field = step.charAt(0).toLowerCase() + step.slice(1); // upstream names a few as Go does
  const early = first.indexOf(field);
  if (early >= 0) return early;
  const index = fields.findIndex(({ name }: Field) => name === field);
  const others = first.includes('*') ? first.indexOf('*') : first.length;
  return others + (index < 0 ? fields.length : index) / (fields.length + 1);
}

function shapeBelow(shape: Shape | undefined, step: string): Shape | undefined {
  switch (shape?.kind) {
    case 'struct':
      return shape.struct.field(step)?.shape;
    case 'list':
      return shape.element;
    case 'map':
      return shape.value;
    default:
      return undefined;
  }
}
