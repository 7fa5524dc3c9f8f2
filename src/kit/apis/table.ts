import {
  type ApiObject,
  encodeJson,
  goText,
  includeObject,
  type JsonPath,
  parseJsonPath,
  parseTime,
  type Query,
  ValueError,
} from '../../api/index.ts';
import { humanDuration } from '../../base/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { ApiColumn } from './api-resource.ts';
import { firstAt, type ServedKind } from './served-kind.ts';

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

interface Column {
  readonly definition: ColumnDefinition;
  readonly value: (object: ApiObject, now: number) => unknown;
}

const META = 'meta.k8s.io/v1';

export interface TableOptions {
  readonly query: Query;
  readonly now: number;
  /** Whether the table includes column definitions; in a watch only the first event does. */
  readonly hasColumns?: boolean;
}

/** Objects as rows, for `kubectl get`. */
export class Tables {
  readonly #columns: readonly Column[];

  constructor(served: ServedKind) {
    this.#columns = columnsOf(served);
  }

  table(objects: readonly ApiObject[], metadata: object, { query, now, hasColumns = true }: TableOptions): object {
    const include = includeObject(query);
    return {
      kind: 'Table',
      apiVersion: META,
      metadata,
      columnDefinitions: hasColumns ? this.#columns.map(({ definition }) => definition) : null,
      rows: objects.map((object) => ({
        cells: this.#columns.map(({ value }) => value(object, now) ?? null),
        object: include === 'None' ? null : include === 'Object' ? object : partialMetadata(object),
      })),
    };
  }
}

export function partialMetadata({ metadata }: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: META, metadata };
}

function columnsOf({ resource, version }: ServedKind): Column[] {
  const { table } = resource;
  const computed = Object.entries<ApiColumn<KubernetesObject>>(table ?? {}).map(([name, column]) =>
    computedColumn(name, column),
  );
  const defined = version.additionalPrinterColumns ?? [];
  const own = table === undefined ? defined.map(definedColumn) : computed;
  return [NAME, ...own, ...(own.length === 0 ? [definedColumn(AGE)] : [])];
}

const NAME: Column = {
  definition: {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Name of the object, unique in its namespace',
    priority: 0,
  },
  value: ({ metadata }) => metadata.name ?? '',
};

const AGE = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was created',
  jsonPath: '.metadata.creationTimestamp',
};

function computedColumn(name: string, column: ApiColumn<KubernetesObject>): Column {
  const { type = 'string', format = '', description = '', priority = 0 } = column;
  return {
    definition: { name, type, format, description, priority },
    value: (object, now) => column.value(object, { now }),
  };
}

function definedColumn(defined: NonNullable<ServedKind['version']['additionalPrinterColumns']>[number]): Column {
  const { name, type, format = '', description = '', priority = 0, jsonPath } = defined;
  const path: JsonPath = parseJsonPath(`{${jsonPath}}`);
  return {
    definition: { name, type, format, description, priority },
    value: (object, now) => cellOf(firstAt(path, object), type, now),
  };
}

function cellOf(value: unknown, type: string, now: number): unknown {
  if (value === undefined || value === null) return null;
  if (type === 'string') return typeof value === 'object' ? encodeJson(value) : goText(value);
  if (type !== 'date') return value;
  if (typeof value !== 'string') return null;
  return parseTime(value) instanceof ValueError ? '<invalid>' : humanDuration(now - Date.parse(value));
}
