import type { ApiObject } from '../../api/index.ts';
import { unreachable } from '../../base/index.ts';
import type { Column, ServedKind } from '../served-kind.ts';
import { StoredObject } from '../storage/stored-object.ts';
import type { ListMetadata } from './answer.ts';
import { listMetadata } from './list-metadata.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { objectOf, type ObjectSource } from './object-forms.ts';
import type { IncludeObject } from './table-options.ts';

export interface TableContext {
  readonly resource: ServedKind;
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
  /** null: the same as in the table before, in a watch. */
  readonly columnDefinitions: readonly Omit<Column, 'value'>[] | null;
  /** Null, not empty, where a kind without columns of its own has no objects. */
  readonly rows: readonly unknown[] | null;
}

/** Objects as rows, for people to read. */
export function tableOf(sources: readonly ObjectSource[], metadata: ListMetadata, context: TableContext): Table {
  const columns = columnsOf(context.resource);
  return {
    kind: 'Table',
    apiVersion: context.apiVersion,
    metadata: listMetadata(metadata),
    columnDefinitions: columns.map(definitionOf),
    rows:
      sources.length === 0 && columns === defaultColumns
        ? null
        : inOrder(sources, context.resource).map((source) => rowOf(source, columns, context)),
  };
}

function inOrder(sources: readonly ObjectSource[], resource: ServedKind): readonly ObjectSource[] {
  const { compareRows } = resource;
  if (compareRows === undefined) return sources;
  return sources.toSorted((left, right) => compareRows(shownObject(left, resource), shownObject(right, resource)));
}

/** What cells are made from. */
function shownObject(source: ObjectSource, resource: ServedKind): ApiObject {
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

function columnsOf(resource: ServedKind): readonly Column[] {
  return resource.columns.length === 0 ? defaultColumns : resource.columns;
}

/** For kinds that have no columns of their own. */
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
