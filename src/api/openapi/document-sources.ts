import type { Struct } from '../schema/schema.ts';
import type { Descriptions } from './descriptions.ts';
import type { Parameter } from './operation.ts';
import { optionParameters } from './option-parameters.ts';
import type { TypeSource } from './served-resource.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** What endpoints and schemas are made from. */
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

  /** Whether a type can be referred to by its name. */
  isInTables({ name }: Struct): boolean {
    return (this.#names ??= new Set(this.types.names())).has(name);
  }

  /** The query parameters of an options type; the same ones every time, so that they can be recognized. */
  parameters(options: Struct): readonly Parameter[] {
    const known = this.#parameters.get(options);
    if (known !== undefined) return known;
    const parameters = optionParameters(options, this.descriptions);
    this.#parameters.set(options, parameters);
    return parameters;
  }
}
