import type { Field, Shape, Struct } from '../schema/schema.ts';
import type { Descriptions } from './descriptions.ts';
import type { Parameter } from './operation.ts';
import { scalarSchema } from './scalar-schemas.ts';

/** The query parameters that an options type (`ListOptions`, `PodExecOptions`, …) stands for: its plain fields. */
export function optionParameters(options: Struct, descriptions: Descriptions): Parameter[] {
  return options.fields.flatMap((field): Parameter[] => {
    const type = isTypeMeta(field, options) ? undefined : parameterType(field.shape);
    if (type === undefined) return [];
    return [{ name: field.name, in: 'query', type, description: descriptions.ofField(options, field.name) }];
  });
}

function isTypeMeta(field: Field, options: Struct): boolean {
  return options.kind !== undefined && (field.name === 'kind' || field.name === 'apiVersion');
}

/** A list is documented as one of its elements; a value with a structure of its own is no parameter. */
function parameterType(shape: Shape): string | undefined {
  if (shape.kind === 'list') return parameterType(shape.element);
  if (shape.kind !== 'scalar') return undefined;
  const scalar = scalarSchema(shape.scalar);
  return scalar.kind === 'inline' ? scalar.schema.type : undefined;
}
