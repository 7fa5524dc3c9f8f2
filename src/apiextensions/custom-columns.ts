import {
  type ApiObject,
  encodeJson,
  goText,
  type JsonPath,
  parseJsonPath,
  parseTime,
  ValueError,
} from '../api/index.ts';
import type { CustomResourceColumnDefinition } from '../api/types/apiextensions/v1.d.ts';
import { ageSince, type Column } from '../apiserver/index.ts';

const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique in its namespace',
  priority: 0,
  value: ({ metadata }) => metadata.name ?? '',
};

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was created',
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of a version's tables: the name, and those of the definition, or the age when it has none. */
export function customColumns(defined: readonly CustomResourceColumnDefinition[] = []): readonly Column[] {
  return [NAME, ...(defined.length === 0 ? [AGE] : defined).map(columnOf)];
}

/** The columns of the scale subresource. */
export const scaleColumns: readonly Column[] = [
  NAME,
  ...[
    { name: 'Desired', type: 'integer', description: 'How many replicas there should be', jsonPath: '.spec.replicas' },
    { name: 'Available', type: 'integer', description: 'How many replicas there are', jsonPath: '.status.replicas' },
    AGE,
  ].map(columnOf),
];

function columnOf(defined: CustomResourceColumnDefinition): Column {
  const { name, type, format = '', description = '', priority = 0, jsonPath } = defined;
  let path: JsonPath | undefined;
  return {
    name,
    type: type as Column['type'],
    format,
    description:
      description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority,
    value(object, { now }) {
      const found = firstOf((path ??= parseJsonPath(`{${jsonPath}}`)), object);
      return found === undefined ? null : cellOf(found.value, type, now);
    },
  };
}

/** The first match of a path; undefined when there is none, or the object does not have the expected form. */
function firstOf(path: JsonPath, object: ApiObject): { readonly value: unknown } | undefined {
  try {
    const found = path.find(object);
    return found.length === 0 ? undefined : { value: found[0] };
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

function cellOf(value: unknown, type: string, now: number): unknown {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return null;
  }
}

function textOf(value: unknown): string {
  if (value === null) return '<no value>';
  return typeof value === 'object' ? encodeJson(value) : goText(value);
}

function ageOf(text: string, now: number): string {
  if (text === '' || text === 'null') return ageSince(undefined, now);
  return parseTime(text) instanceof ValueError ? '<invalid>' : ageSince(text, now);
}
