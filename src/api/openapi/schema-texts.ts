import type { DocumentSources } from './document-sources.ts';
import { referredNames } from './json-schema.ts';
import type { OpenApiVersion } from './json-schema.ts';
import { namedScalar } from './scalar-schemas.ts';
import { isWritten } from './served-resource.ts';
import type { DocumentedType } from './served-resource.ts';
import { structSchema, typesOfFields } from './struct-schema.ts';

/** A schema as JSON text, without its kinds, and the OpenAPI names that it refers to. */
export interface SchemaText {
  readonly name: string;
  readonly text: string;
  readonly refersTo: ReadonlySet<string>;
  readonly type: DocumentedType | undefined;
}

/**
 * Writes each type once. Most types are in many documents (`ObjectMeta` is in all), so documents are assembled from these
 * texts.
 */
export class SchemaTexts {
  readonly #sources: DocumentSources;
  readonly #version: OpenApiVersion;
  readonly #texts = new Map<string, SchemaText>();
  /** The schemas of custom resources, which change with their definitions. */
  readonly #written = new WeakMap<DocumentedType, SchemaText>();

  constructor(sources: DocumentSources, version: OpenApiVersion) {
    this.#sources = sources;
    this.#version = version;
  }

  /** The given types and all types that they refer to, sorted by name. */
  reachable(types: Iterable<DocumentedType>): SchemaText[] {
    const found = new Map<string, SchemaText>();
    const open: SchemaText[] = [];
    const visit = (text: SchemaText): void => {
      if (found.has(text.name)) return;
      found.set(text.name, text);
      open.push(text);
    };
    for (const type of types) visit(this.#ofType(type));
    for (let text = open.pop(); text !== undefined; text = open.pop()) {
      for (const name of text.refersTo) visit(found.get(name) ?? this.#ofName(name));
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #ofType(type: DocumentedType): SchemaText {
    if (!isWritten(type)) return this.#ofName(type.name);
    const known = this.#written.get(type);
    if (known !== undefined) return known;
    const schema = type[this.#version];
    const text = { name: type.name, text: JSON.stringify(schema), refersTo: referredNames(schema), type };
    if (this.#version === 'v2') this.#written.set(type, text); // v3 documents contain one version of a group each, and are cached whole
    return text;
  }

  #ofName(name: string): SchemaText {
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const text = this.#write(name);
    this.#texts.set(name, text);
    return text;
  }

  #write(name: string): SchemaText {
    const scalar = namedScalar(name);
    if (scalar !== undefined) {
      return { name, text: JSON.stringify(scalar[this.#version]), refersTo: new Set(), type: undefined };
    }
    const struct = this.#sources.types.struct(name);
    const schema = structSchema(struct, this.#version, this.#sources);
    return { name, text: JSON.stringify(schema), refersTo: typesOfFields(struct), type: struct };
  }
}
