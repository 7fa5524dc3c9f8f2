import type { JSONSchemaProps } from '../../api/types/apiextensions/v1.d.ts';
import { encodeJson } from '../../api/index.ts';
import type { Definition } from '../../kit/index.ts';

const INDENT = '  ';
const LINE = 110;

/**
 * Generates TypeScript from definitions: for each kind an interface, and a value of the same name for client and kit.
 *
 * The version that is stored has the kind's name alone; others that are served carry theirs: `WidgetV1beta1`.
 */
export function typeSource(definitions: readonly Definition[]): string {
  const kinds = definitions.flatMap(servedKinds).sort((left, right) => (left.id < right.id ? -1 : 1));
  const names = uniqueNames(kinds);
  const makers = [...new Set(kinds.map(({ maker }) => maker))].sort();
  const imports = [...makers, 'type KubernetesObject'].sort((left, right) => (bare(left) < bare(right) ? -1 : 1));
  const parts = kinds.map((kind, index) => kindSource(kind, names[index] ?? kind.kind));
  return [
    '// Made by `keelson types`. Changes are lost when it is made again.',
    `import { ${imports.join(', ')} } from 'keelson/client';`,
    ...parts.map((part) => `\n${part}`),
    '',
  ].join('\n');
}

function bare(name: string): string {
  return name.replace('type ', '').toLowerCase();
}

interface ServedKind {
  readonly id: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isStored: boolean;
  readonly maker: 'namespacedKind' | 'clusterKind';
  readonly schema: JSONSchemaProps;
}

/**
 * The names are checked by the API server's rules, since they come from files of others and become code. Kinds are DNS
 * labels that may have capitals.
 */
function checkNames({ metadata, spec }: Definition): void {
  const { group, names, versions } = spec;
  const texts: readonly (readonly [field: string, value: unknown, pattern: RegExp])[] = [
    ['spec.group', group, SUBDOMAIN],
    ['spec.names.kind', names?.kind, KIND],
    ['spec.names.plural', names?.plural, LABEL],
    ...versions.map(({ name }, index) => [`spec.versions[${index}].name`, name, LABEL] as const),
  ];
  for (const [field, value, pattern] of texts) {
    if (typeof value === 'string' && value.length <= MAX_NAME && pattern.test(value)) continue;
    const shown = JSON.stringify(value)?.slice(0, MAX_NAME) ?? 'nothing';
    throw new Error(`Cannot make types of definition "${metadata?.name ?? ''}": ${field} cannot be ${shown}`);
  }
}

const MAX_NAME = 253;
const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const KIND = /^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$/;

function servedKinds(definition: Definition): ServedKind[] {
  checkNames(definition);
  const { spec } = definition;
  const { group, names, scope } = spec;
  const served = spec.versions.filter((version) => version.served);
  return served.map(({ name: version, storage, schema }) => ({
    id: `${names.kind} ${group} ${storage ? '' : version}`,
    group,
    version,
    kind: names.kind,
    plural: names.plural,
    isStored: storage || served.length === 1,
    maker: scope === 'Cluster' ? 'clusterKind' : 'namespacedKind',
    schema: schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }));
}

/** Kinds of several groups may share a name: the first part of the group then distinguishes them. */
function uniqueNames(kinds: readonly ServedKind[]): readonly string[] {
  const groupsOf = new Map<string, Set<string>>();
  for (const { kind, group } of kinds) groupsOf.set(kind, (groupsOf.get(kind) ?? new Set()).add(group));
  const taken = new Set<string>(['KubernetesObject', 'namespacedKind', 'clusterKind']);
  return kinds.map(({ kind, group, version, isStored }) => {
    const isShared = (groupsOf.get(kind)?.size ?? 0) > 1;
    const bareName = RESERVED.has(kind) || kind.includes('-') ? capital(kind) : kind;
    const short = `${isShared ? capital(group.split('.')[0] ?? '') : ''}${bareName}${isStored ? '' : capital(version)}`;
    const wanted = identifier(taken.has(short) ? `${group.split(/[.-]/).map(capital).join('')}${short}` : short);
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
    taken.add(name);
    return name;
  });
}

/** Words that name no interface. */
const RESERVED = new Set(
  `any await bigint boolean break case catch class const continue debugger default delete do else enum export extends false finally
  for function if implements import in instanceof interface let never new null number object package private protected public return
  static string super switch symbol this throw true try type typeof undefined unknown var void while with yield`.split(
    /\s+/,
  ),
);

/** Groups may begin with a digit, identifiers may not. */
function identifier(name: string): string {
  return /^\d/.test(name) ? `_${name}` : name;
}

function capital(word: string): string {
  return word
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}

function kindSource({ group, version, kind, plural, maker, schema }: ServedKind, name: string): string {
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = schema.properties ?? {};
  const body = fieldLines({ ...schema, properties: fields }, INDENT);
  const apiVersion = literal(`${group}/${version}`);
  const names = `{ apiVersion: ${apiVersion}, kind: ${literal(kind)}, plural: ${literal(plural)} }`;
  return [
    ...documentLines(schema.description, ''),
    `export interface ${name} extends KubernetesObject {`,
    ...body,
    '}',
    `export const ${name} = ${maker}<${name}>(${names});`,
  ].join('\n');
}

function fieldLines(schema: JSONSchemaProps, indent: string): string[] {
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...documentLines(field.description, indent),
    `${indent}${fieldName(name)}${required.has(name) ? '' : '?'}: ${typeText(field, indent)};`,
  ]);
  return schema['x-kubernetes-preserve-unknown-fields'] === true
    ? [...lines, `${indent}[field: string]: unknown;`]
    : lines;
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  if (typeof value === 'bigint') return 'number';
  const text = typeof value === 'string' ? JSON.stringify(value) : encodeJson(value);
  return typeof value === 'string' ? `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : text;
}

function typeText(schema: JSONSchemaProps, indent: string): string {
  const text = bareType(schema, indent);
  return schema.nullable === true && !/\bnull$/.test(text) ? `${text} | null` : text;
}

function bareType(schema: JSONSchemaProps, indent: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum.map(literal).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const { items } = schema;
      const item = items === undefined || Array.isArray(items) ? 'unknown' : typeText(items, indent);
      return /[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType(schema: JSONSchemaProps, indent: string): string {
  const { additionalProperties: values } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true) return 'KubernetesObject & { [field: string]: unknown }';
  if (schema.properties === undefined) {
    const value = typeof values === 'object' ? typeText(values, indent) : 'unknown';
    return `{ [key: string]: ${value} }`;
  }
  return ['{', ...fieldLines(schema, indent + INDENT), `${indent}}`].join('\n');
}

function documentLines(description: string | undefined, indent: string): string[] {
  const words = (description ?? '')
    .replaceAll('*/', '* /')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > LINE) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}
