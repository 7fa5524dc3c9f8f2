/** A schema in either version of OpenAPI, with the keywords that Kubernetes' documents use. */
export interface JsonSchema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly $ref?: string;
  /** `x-kubernetes-…`, and other keywords from a custom resource's schema. */
  readonly [extension: string]: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The two versions of OpenAPI that clients ask for. */
export type OpenApiVersion = 'v2' | 'v3';

/** The `$ref` to the type with this OpenAPI name. */
export function reference(name: string, version: OpenApiVersion): string {
  return prefixes[version] + name;
}

const prefixes: Readonly<Record<OpenApiVersion, string>> = { v2: '#/definitions/', v3: '#/components/schemas/' };

/** The OpenAPI names that a schema refers to, without duplicates. */
export function referredNames(schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  collect(schema, names);
  return names;
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' && typeof item === 'string') names.add(item.slice(item.lastIndexOf('/') + 1));
    else collect(item, names);
  }
}
