import type { CustomResourceColumnDefinition } from '../../api/types/apiextensions/v1.d.ts';
import { type FieldPath, jsonPathOf, type PathTo, recordPath } from './recorded-path.ts';
import { isSchema, type Structural } from './schema-words.ts';

/** A column with more options than its path. */
export interface ColumnOptions<T> {
  readonly path: PathTo<T>;
  /** Default: the type in the schema; required for paths with filters. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown only by `kubectl get -o wide`. */
  readonly priority?: number;
}

/** Columns of `kubectl get` by name, in this order. */
export type Columns<T> = Readonly<Record<string, PathTo<T> | ColumnOptions<T>>>;

export function columnsOf<T>(columns: Columns<T>, schema: Structural): CustomResourceColumnDefinition[] {
  return Object.entries(columns).map(([name, given]) => {
    const options: ColumnOptions<T> = typeof given === 'object' ? given : { path: given };
    const { path, type, ...rest } = options;
    const fields = fieldsOf(path, `column "${name}"`);
    const shown = type ?? (fields === undefined ? undefined : columnType(schemaAt(schema, fields)));
    if (shown === undefined) throw new Error(`Cannot show column "${name}": ${cannotShow(path)}`);
    return { name, type: shown, jsonPath: pathText(path, name), ...rest };
  });
}

function cannotShow(path: unknown): string {
  const where = typeof path === 'string' ? `"${path}"` : 'its path';
  return `${where} does not lead to a string, number or boolean of the schema; correct it, or say the type`;
}

/** The JSONPath of a field. */
export function pathText(path: PathTo<never>, purpose: string): string {
  return typeof path === 'string' ? path : jsonPathOf(recordPath(path, purpose));
}

/** The steps of a path; undefined if it contains a filter. */
function fieldsOf(path: PathTo<never>, purpose: string): FieldPath | undefined {
  if (typeof path !== 'string') return recordPath(path, purpose);
  if (!/^(?:\.[\w-]+|\[\d+\])+$/.test(path)) return undefined;
  return [...path.matchAll(/\.([\w-]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
}

const METADATA_DATES = ['creationTimestamp', 'deletionTimestamp'];

/** The schema of a field. Of metadata, only what columns may show is known: strings, and two dates. */
export function schemaAt(root: Structural, path: FieldPath): Structural | undefined {
  const [first, name] = path;
  if (first === 'metadata')
    return METADATA_DATES.includes(String(name)) ? { type: 'string', format: 'date-time' } : { type: 'string' };
  return path.reduce<Structural | undefined>((at, step) => {
    const values = isSchema(at?.additionalProperties) ? (at.additionalProperties as Structural) : undefined;
    const items = isSchema(at?.items) ? (at.items as Structural) : undefined;
    return typeof step === 'number' || step === '*' ? (items ?? values) : (at?.properties?.[step] ?? values);
  }, root);
}

function columnType(schema: Structural | undefined): ColumnOptions<never>['type'] | undefined {
  if (schema?.['x-kubernetes-int-or-string'] === true) return 'string';
  switch (schema?.type) {
    case 'string':
      return schema.format === 'date-time' ? 'date' : 'string';
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    default:
      return undefined;
  }
}
