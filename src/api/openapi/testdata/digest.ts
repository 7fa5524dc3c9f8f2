import { createHash } from 'node:crypto';

interface Node {
  readonly [key: string]: unknown;
}

/** What a document says, in few characters a part: types by package, paths by group and version. */
export interface DocumentDigest {
  readonly schemas: Readonly<Record<string, string>>;
  readonly paths: Readonly<Record<string, string>>;
  /** Everything else. */
  readonly rest: string;
}

/**
 * Digests a document of either version of OpenAPI. Texts for people do not count, nor does the order of members, nor
 * whether OpenAPI v2 shares a parameter or repeats it (the names of shared parameters depend on their texts).
 */
export function digestDocument(document: Node): DocumentDigest {
  const { paths = {}, definitions, parameters = {}, components, ...rest } = document as Record<string, Node>;
  const { schemas = definitions ?? {}, ...others } = (components ?? {}) as Record<string, Node>;
  return {
    schemas: mapValues(schemas, (schema) => digest(schema)),
    paths: mapValues(paths, (item) => digest(inlined(item, parameters))),
    rest: digest({ ...rest, ...others }),
  };
}

export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value, false)).digest('hex').slice(0, 8);
}

function mapValues(node: Node, change: (value: unknown) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]));
}

/** The value with references to shared parameters replaced by the parameters. */
function inlined(value: unknown, parameters: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, parameters));
  if (typeof value !== 'object' || value === null) return value;
  const reference = (value as Node)['$ref'];
  if (typeof reference === 'string' && reference.startsWith('#/parameters/')) {
    return parameters[reference.slice('#/parameters/'.length)];
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item, parameters)]));
}

/** `areNames`: the keys are names of properties, so that `description` is one of them. */
function canonical(value: unknown, areNames: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, false)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(
    ([key, item]) => areNames || key !== 'description' || typeof item !== 'string',
  );
  const [only] = entries;
  // Without its description a reference stands alone, and needs no `allOf` around it.
  if (!areNames && entries.length === 1 && only?.[0] === 'allOf') return canonical((only[1] as unknown[])[0], false);
  const members = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, !areNames && key === 'properties')}`);
  return `{${members.join(',')}}`;
}
