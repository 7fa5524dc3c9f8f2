import type { Structural } from '../../../kit/index.ts';

/** A field that users may change. */
export interface SchemaField {
  /** The members that lead to it, from the object; a position in a list is `0`. */
  readonly path: readonly string[];
  readonly schema: Structural;
  readonly isRequired: boolean;
}

/** Members that users do not set, or that every kind has. */
const NOT_SET_BY_USERS = ['apiVersion', 'kind', 'metadata', 'status'];
/** Fields of one kind that are changed, those near the top first: a pod template alone has some thousand. */
const MAX_FIELDS = 120;
const MAX_DEPTH = 6;

/** The fields below `spec` and its like of a schema, those near the top first; of lists, the fields of the first item that the object has. */
export function fieldsOf(schema: Structural, object: unknown): readonly SchemaField[] {
  const fields: SchemaField[] = [];
  let level = membersOf({ path: [], schema, isRequired: true }, object).filter(
    ({ path: [name = ''] }) => !NOT_SET_BY_USERS.includes(name),
  );
  for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth++) {
    if (depth > 1 || level.some((each) => !isStruct(each.schema))) fields.push(...level.filter(isChanged));
    level = level.flatMap((each) => membersOf(each, object));
  }
  return fields.slice(0, MAX_FIELDS);
}

/** A required structure, such as `spec`, is changed by its members only. */
function isChanged({ schema, isRequired, path }: SchemaField): boolean {
  return path.length > 1 ? !(isRequired && isStruct(schema)) : !isStruct(schema);
}

function isStruct({ properties }: Structural): boolean {
  return properties !== undefined;
}

function membersOf({ path, schema }: SchemaField, object: unknown): readonly SchemaField[] {
  const required = new Set(schema.required ?? []);
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    path: [...path, name],
    schema: member,
    isRequired: required.has(name),
  }));
  const items = schema.items as Structural | undefined;
  const current = valueAt(object, path);
  if (typeof items !== 'object' || !Array.isArray(current) || current.length === 0) return own;
  return [...own, ...membersOf({ path: [...path, '0'], schema: items, isRequired: true }, object)];
}

/** The value at a path of an object; undefined where there is none. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name],
    object,
  );
}
