import type { Connection } from './connection.ts';
import type { ResourceKind } from './resource-kind.ts';

export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** What a field is, as `kubectl explain` says it. */
export interface Explanation {
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
  readonly defaultText: string | undefined;
}

/** A step into an object: a member's name, or an element of a list. */
export type Step = string | number;

/** The schemas of one group's version. */
export class Schemas {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  root({ group, version, kind }: Pick<ResourceKind, 'group' | 'version' | 'kind'>): Schema | undefined {
    return Object.values(this.#document.components?.schemas ?? {}).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (known) => known.group === group && known.version === version && known.kind === kind,
      ),
    );
  }

  /** The schema with what it refers to, and the descriptions that stand beside the reference. */
  resolve(schema: Schema): Schema {
    const [only] = schema.allOf ?? [];
    const name = (schema.$ref ?? only?.$ref)?.replace('#/components/schemas/', '');
    if (name === undefined) return only === undefined ? schema : { ...only, ...schema };
    const target = this.#document.components?.schemas?.[name] ?? {};
    return {
      ...target,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      default: schema.default,
    };
  }

  at(root: Schema, path: readonly Step[]): Schema | undefined {
    let schema: Schema | undefined = this.resolve(root);
    for (const step of path) {
      const inner: Schema | undefined = typeof step === 'number' ? schema.items : memberOf(schema, step);
      if (inner === undefined) return undefined;
      schema = this.resolve(inner);
    }
    return schema;
  }

  explain(root: Schema, path: readonly Step[]): Explanation | undefined {
    const schema = this.at(root, path);
    if (schema === undefined) return undefined;
    const last = path.at(-1);
    const parent = this.at(root, path.slice(0, -1));
    return {
      type: typeOf(schema, (inner) => this.resolve(inner)),
      description: schema.description ?? '',
      isRequired: typeof last === 'string' && (parent?.required?.includes(last) ?? false),
      choices: (schema.enum ?? []).map(String),
      defaultText: schema.default === undefined ? undefined : JSON.stringify(schema.default),
    };
  }
}

function memberOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function typeOf(schema: Schema, resolve: (schema: Schema) => Schema): string {
  if (schema.type === 'array')
    return `[]${schema.items === undefined ? 'any' : typeOf(resolve(schema.items), resolve)}`;
  if (typeof schema.additionalProperties === 'object')
    return `map[string]${typeOf(resolve(schema.additionalProperties), resolve)}`;
  return schema.format === undefined ? (schema.type ?? 'any') : `${schema.type ?? 'any'} (${schema.format})`;
}

interface Index {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
}

/** Documents by group and version, each asked for once. */
export class OpenApi {
  readonly #connection: Connection;
  readonly #documents = new Map<string, Promise<Schemas>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The documents may be others after definitions have changed. */
  forget(): void {
    this.#documents.clear();
  }

  schemas({ group, version }: Pick<ResourceKind, 'group' | 'version'>): Promise<Schemas> {
    const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    let found = this.#documents.get(name);
    if (found === undefined) {
      found = this.#load(name);
      this.#documents.set(name, found);
      found.catch(() => this.#documents.delete(name));
    }
    return found;
  }

  async #load(name: string): Promise<Schemas> {
    const index = await this.#connection.clusterJson<Index>('/openapi/v3');
    const path = index.paths?.[name]?.serverRelativeURL;
    if (path === undefined) throw new Error(`The server describes no "${name}"`);
    return new Schemas(await this.#connection.clusterJson<Document>(path));
  }
}
