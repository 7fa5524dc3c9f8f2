/** JSON that cases change as they like. */
// oxlint-disable-next-line typescript/no-explicit-any -- cases are bodies that may be wrong in any way
export type Json = any;

export type Change = (definition: Json) => void;

export interface Case {
  readonly name: string;
  /** What is sent. */
  readonly definition: Json;
  /** What is in the store already, whatever the server would have said about it. Absent: the definition is new. */
  readonly old?: Json;
}

/** A valid definition. */
export function baseDefinition(): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [version('v1', { storage: true })],
    },
  };
}

export function version(name: string, more: Json = {}): Json {
  return {
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: rootSchema({ a: { type: 'string' } }) },
    ...more,
  };
}

/** A whole object's schema with fields of its spec. */
export function rootSchema(properties: Json, more: Json = {}): Json {
  return { type: 'object', properties: { spec: { type: 'object', properties } }, ...more };
}

export function changed(change: Change): Json {
  const definition = baseDefinition();
  change(definition);
  return definition;
}

/** A definition with its own schema. */
export function withSchema(schema: Json): Json {
  return changed(({ spec }) => void (spec.versions[0].schema = { openAPIV3Schema: schema }));
}

/** A definition whose spec has one field, `x`. */
export function withField(x: Json): Json {
  return withSchema(rootSchema({ x }));
}

/** A definition with rules at its field `x`. */
export function withRules(rules: Json, x: Json = { type: 'string', maxLength: 10 }): Json {
  return withField({ ...x, 'x-kubernetes-validations': rules });
}

export function cases(prefix: string, definitions: Readonly<Record<string, Json>>): Case[] {
  return Object.entries(definitions).map(([name, definition]) => ({ name: `${prefix}: ${name}`, definition }));
}

export function changes(prefix: string, list: Readonly<Record<string, Change>>): Case[] {
  return cases(prefix, Object.fromEntries(Object.entries(list).map(([name, change]) => [name, changed(change)])));
}
