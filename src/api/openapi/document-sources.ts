import type { Field, Shape, Struct } from '../schema/schema.ts';
import type { Descriptions } from './descriptions.ts';
import type { Parameter } from './operation.ts';
import { scalarSchema } from './scalar-schemas.ts';
import type { TypeSource } from './served-resource.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The sources of endpoints and schemas. */
export class DocumentSources {
  readonly types: TypeSource;
  readonly descriptions: Descriptions;
  readonly #parameters = new Map<Struct, readonly Parameter[]>();

  #names: ReadonlySet<string> | undefined;

  constructor(types: TypeSource, descriptions: Descriptions) {
    this.types = types;
    this.descriptions = descriptions;
  }

  /** A type of `meta/v1` by its short name. */
  meta(name: string): Struct {
    return this.types.struct(`${META}.${name}`);
  }

  /** Whether a type can be referenced by name. */
  isInTables({ name }: Struct): boolean {
    return (this.#names ??= new Set(this.types.names())).has(name);
  }

  /** The query parameters of an options type; cached, so that they can be compared by identity. */
  parameters(options: Struct): readonly Parameter[] {
    const known = this.#parameters.get(options);
    if (known !== undefined) return known;
    const parameters = optionParameters(options, this.descriptions);
    this.#parameters.set(options, parameters);
    return parameters;
  }
}

/** The query parameters of an options type (`ListOptions`, `PodExecOptions`, …): its scalar fields. */
function optionParameters(options: Struct, descriptions: Descriptions): Parameter[] {
  return options.fields.flatMap((field): Parameter[] => {
    const type = isTypeMeta(field, options) ? undefined : parameterType(field.shape);
    if (type === undefined) return [];
    return [{ name: field.name, in: 'query', type, description: descriptions.ofField(options, field.name) }];
  });
}

function isTypeMeta(field: Field, options: Struct): boolean {
  return options.kind !== undefined && (field.name === 'kind' || field.name === 'apiVersion');
}

/** A list is documented as one of its elements; a struct is not a parameter. */
function parameterType(shape: Shape): string | undefined {
  if (shape.kind === 'list') return parameterType(shape.element);
  if (shape.kind !== 'scalar') return undefined;
  const scalar = scalarSchema(shape.scalar);
  return scalar.kind === 'inline' ? scalar.schema.type : undefined;
}
