import { type ApiObject, type IncludeObject } from '../../api/index.ts';
import { unreachable } from '../../base/index.ts';
import type { Column, Resource } from '../resource.ts';
import { StoredObject } from '../storage/stored-object.ts';
import type { ListMetadata } from './answer.ts';
import { listMetadata } from './list-metadata.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { objectOf, type ObjectSource } from './object-forms.ts';

export interface TableContext {
  readonly resource: Resource;
  readonly apiVersion: string;
  readonly include: IncludeObject;
  readonly forms: MetadataForms;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: Partial<ListMetadata>;
  /** null in a watch: the same columns as in the previous table. */
  readonly columnDefinitions: readonly Omit<Column, 'value'>[] | null;
  /** null instead of empty for a kind without columns of its own and without objects. */
  readonly rows: readonly unknown[] | null;
}

export interface LazyTable extends Omit<Table, 'rows'> {
  readonly rows: Iterable<unknown> | null;
}

/** A Table of objects, for people to read. */
export function tableOf(sources: readonly ObjectSource[], metadata: ListMetadata, context: TableContext): Table {
  const { rows, ...table } = lazyTableOf(sources, metadata, context);
  return { ...table, rows: rows === null ? null : [...rows] };
}

/** The same with rows that are made on demand, once. */
export function lazyTableOf(
  sources: readonly ObjectSource[],
  metadata: ListMetadata,
  context: TableContext,
): LazyTable {
  const columns = columnsOf(context.resource);
  return {
    kind: 'Table',
    apiVersion: context.apiVersion,
    metadata: listMetadata(metadata),
    columnDefinitions: columns.map(definitionOf),
    rows: sources.length === 0 && columns === defaultColumns ? null : rowsOf(sources, columns, context),
  };
}

function* rowsOf(
  sources: readonly ObjectSource[],
  columns: readonly Column[],
  context: TableContext,
): Generator<unknown> {
  for (const source of inOrder(sources, context.resource)) yield rowOf(source, columns, context);
}

function inOrder(sources: readonly ObjectSource[], resource: Resource): readonly ObjectSource[] {
  const { compareRows } = resource;
  if (compareRows === undefined) return sources;
  return sources.toSorted((left, right) => compareRows(shownObject(left, resource), shownObject(right, resource)));
}

/** The version of the object that cells are computed from. */
function shownObject(source: ObjectSource, resource: Resource): ApiObject {
  if (source instanceof StoredObject && resource.capabilities.tablesShow === 'stored') return source.object;
  return objectOf(source, resource);
}

function rowOf(source: ObjectSource, columns: readonly Column[], context: TableContext): unknown {
  const { resource, now } = context;
  const object = shownObject(source, resource);
  const conditions = resource.rowConditions?.(object) ?? [];
  return {
    cells: columns.map((column) => column.value(object, { now }) ?? null),
    ...(conditions.length === 0 ? {} : { conditions }),
    object: included(source, context),
  };
}

function included(source: ObjectSource, { resource, include, apiVersion, forms }: TableContext): ApiObject | null {
  switch (include) {
    case 'Object':
      return objectOf(source, resource);
    case 'Metadata':
      return forms.partial(source, resource, apiVersion);
    case 'None':
      return null;
    default:
      return unreachable(include);
  }
}

function definitionOf({ name, type, format, description, priority }: Column): Omit<Column, 'value'> {
  return { name, type, format, description, priority };
}

function columnsOf(resource: Resource): readonly Column[] {
  return resource.columns.length === 0 ? defaultColumns : resource.columns;
}

/** The columns of kinds that define none. */
const defaultColumns: readonly Column[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Name of the object, unique in its namespace',
    priority: 0,
    value: ({ metadata }) => metadata.name ?? '',
  },
  {
    name: 'Created At',
    type: 'date',
    format: '',
    description: 'When the object was created',
    priority: 0,
    value: ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
  },
];
