import type { MinorVersion } from '../../base/index.ts';
import type { DefinitionFile, FieldDefinition, TypeDefinition } from './definition.ts';

/** By `ALIAS.TYPE` and `ALIAS.TYPE.FIELD`: since when it is there; what was always there is missing. */
type FirstVersions = ReadonlyMap<string, MinorVersion>;

/** Writes the TypeScript declarations of one definition file: one interface a type. */
export function typeDeclarations(file: DefinitionFile, first: FirstVersions = new Map()): string {
  const imports = new Map<string, string>();
  const lines: string[] = [];
  const lists = file.resources
    .filter(({ kind, verbs }) => verbs.includes('list') && !file.types.some(({ name }) => name === `${kind}List`))
    .map((resource) => listDeclaration(file, resource.kind));
  const body = file.types.map((type) => declaration(type, file, { imports, first }));
  for (const [alias, name] of [...imports].sort(([a], [b]) => (a < b ? -1 : 1))) {
    lines.push(`import type * as ${name} from '../${alias}.d.ts';`);
  }
  if (lists.length > 0 && !imports.has('meta/v1')) lines.push(`import type * as metaV1 from '../meta/v1.d.ts';`);
  return [...lines, ...(lines.length > 0 ? [''] : []), ...body, ...lists].join('\n');
}

interface DeclarationContext {
  readonly imports: Map<string, string>;
  readonly first: FirstVersions;
}

function declaration(type: TypeDefinition, file: DefinitionFile, { imports, first }: DeclarationContext): string {
  const place = `${file.alias}.${type.name}`;
  const lines = [...comment(type.description, '', first.get(place)), `export interface ${type.name} {`];
  if (type.isKind) lines.push(...typeMeta(file, type.name));
  for (const field of type.fields) {
    const since = first.get(`${place}.${field.name}`);
    lines.push(
      ...comment(field.description, '  ', since),
      `  ${propertyName(field)}: ${fieldType(field, file, imports)};`,
    );
  }
  return [...lines, '}', ''].join('\n');
}

function listDeclaration(file: DefinitionFile, kind: string): string {
  const name = `${kind}List`;
  return [
    `export interface ${name} {`,
    ...typeMeta(file, name),
    `  metadata?: ${file.alias === 'meta/v1' ? '' : 'metaV1.'}ListMeta;`,
    `  items: ${kind}[];`,
    '}',
    '',
  ].join('\n');
}

function typeMeta(file: DefinitionFile, kind: string): string[] {
  const apiVersion = file.group === '' ? file.version : `${file.group}/${file.version}`;
  return [`  kind?: '${kind}';`, `  apiVersion?: '${apiVersion}';`];
}

function comment(text: string, indent: string, since: MinorVersion | undefined): string[] {
  const safe = text.replaceAll('*/', '* /');
  if (since === undefined) return text === '' ? [] : [`${indent}/** ${safe} */`];
  const lines = [...(text === '' ? [] : [safe]), `@since 1.${since}`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function propertyName(field: FieldDefinition): string {
  const name = /^[A-Za-z_]\w*$/.test(field.name) ? field.name : `'${field.name}'`;
  return field.flags.required !== undefined ? name : `${name}?`;
}

function fieldType(field: FieldDefinition, file: DefinitionFile, imports: Map<string, string>): string {
  const values = field.constraints.enum;
  if (values !== undefined) {
    const union = values.map((value) => `'${String(value)}'`).join(' | ');
    if (field.type.endsWith('[]string')) return `(${union})[]`;
    if (field.type.startsWith('map<')) return `Record<string, ${union}>`;
    return union;
  }
  return typeScriptType(field.type, file, imports);
}

function typeScriptType(type: string, file: DefinitionFile, imports: Map<string, string>): string {
  if (type.startsWith('*')) return typeScriptType(type.slice(1), file, imports);
  if (type.startsWith('wrapped[]')) return 'string[]';
  if (type.startsWith('[]')) return `${typeScriptType(type.slice(2), file, imports)}[]`;
  if (type.startsWith('map<')) return `Record<string, ${typeScriptType(type.slice(4, -1), file, imports)}>`;
  const simple = simpleTypes[type];
  if (simple !== undefined) return simple;
  const dot = type.indexOf('.');
  if (dot < 0) return type;
  const alias = type.slice(0, dot);
  if (alias === file.alias) return type.slice(dot + 1);
  const [group = '', version = ''] = alias.split('/');
  const name = `${group}${version.charAt(0).toUpperCase()}${version.slice(1)}`;
  imports.set(alias, name);
  return `${name}.${type.slice(dot + 1)}`;
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bool: 'boolean',
  bytes: 'string',
  Quantity: 'string',
  Time: 'string',
  MicroTime: 'string',
  Duration: 'string',
  IntOrString: 'number | string',
  JSON: 'unknown',
  RawExtension: 'Record<string, unknown>',
  FieldsV1: 'Record<string, unknown>',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | string[]',
};
