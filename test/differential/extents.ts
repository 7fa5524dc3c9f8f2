interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly definitions?: Readonly<Record<string, unknown>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);

/** What an OpenAPI document describes, without how: its paths with their methods, and the names of its schemas. */
export function describedByOpenApi(value: unknown): unknown {
  const { paths = {}, definitions, components, ...rest } = value as OpenApiDocument;
  const methods = Object.entries(paths).map(([path, item]) => [
    path,
    Object.keys(item)
      .filter((name) => METHODS.has(name))
      .sort()
      .join(' '),
  ]);
  const schemas = Object.keys(definitions ?? components?.schemas ?? {}).sort();
  return { members: Object.keys(rest).sort(), paths: Object.fromEntries(methods), schemas };
}

interface List {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly items?: readonly { readonly metadata: { readonly namespace?: string; readonly name: string } }[];
}

/** The names in a list, in its order. */
export function namesIn(value: unknown): unknown {
  const { apiVersion, kind, items = [] } = value as List;
  const names = items.map(({ metadata: { namespace, name } }) =>
    namespace === undefined ? name : `${namespace}/${name}`,
  );
  return { apiVersion, kind, names };
}
