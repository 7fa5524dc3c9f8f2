import { objectType } from '../type-terms/index.ts';
import { ANONYMOUS, type DeclField, type DeclType, declared, listType, mapType, withMaxElements } from './decl-type.ts';
import { escapeName } from './escape.ts';
import { limits } from './limits.ts';
import { entriesOf, isEmbedded, itemsOf, type Schema, withResourceFields } from './schema.ts';

const LONGEST_TEXT = limits.requestBytes - 2;

/** The type of data of a schema; nothing when expressions cannot see such data. */
export function schemaType(schema: Schema, isResourceRoot: boolean): DeclType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return withMaxElements(declared.dyn, schema.maxLength === undefined ? LONGEST_TEXT : textBound(schema.maxLength));
  }
  const complete = isResourceRoot ? withResourceFields(schema) : schema;
  switch (complete.type) {
    case 'array':
      return arrayType(complete);
    case 'object':
      return entriesOf(complete) === undefined
        ? fieldsType(complete)
        : entriesType(complete, entriesOf(complete) as Schema);
    case 'string':
      return textType(complete);
    case 'boolean':
      return declared.bool;
    case 'number':
      return declared.double;
    case 'integer':
      return declared.int;
    default:
      return undefined;
  }
}

function arrayType(schema: Schema): DeclType | undefined {
  const items = itemsOf(schema);
  const element = items === undefined ? undefined : schemaType(items, isEmbedded(items));
  if (element === undefined) return undefined;
  return listType(element, bound(schema.maxItems) ?? Math.floor(LONGEST_TEXT / (element.minSize + 1)));
}

function entriesType(schema: Schema, entries: Schema): DeclType | undefined {
  const element = schemaType(entries, isEmbedded(entries));
  if (element === undefined) return undefined;
  return mapType(
    declared.string,
    element,
    bound(schema.maxProperties) ?? Math.floor(LONGEST_TEXT / (element.minSize + 6)),
  );
}

function fieldsType(schema: Schema): DeclType {
  const required = new Set(schema.required ?? []);
  const fields = new Map<string, DeclField>();
  let minSize = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = schemaType(property, isEmbedded(property));
    if (type === undefined) continue;
    const isRequired = required.has(name);
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, { type, isRequired });
    const hasDefault = property.default !== undefined && property.default !== null;
    if (isRequired && !hasDefault) minSize += Buffer.byteLength(name) + type.minSize + 4;
  }
  return { type: objectType(ANONYMOUS), fields, maxElements: 0, minSize };
}

function textType(schema: Schema): DeclType {
  switch (schema.format) {
    case 'byte':
      return withMaxElements(declared.bytes, bound(schema.maxLength) ?? LONGEST_TEXT);
    case 'duration':
      return withMaxElements(declared.duration, 32);
    case 'date':
      return withMaxElements(declared.timestamp, 12);
    case 'date-time':
      return { ...declared.timestamp, maxElements: 32, minSize: 21 };
    default:
  }
  if (schema.maxLength !== undefined) return withMaxElements(declared.string, textBound(schema.maxLength));
  const values = schema.enum ?? [];
  if (values.length === 0) return withMaxElements(declared.string, LONGEST_TEXT);
  const lengths = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  return withMaxElements(declared.string, Math.max(...lengths));
}

function bound(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value);
}

/** Lengths are given in code points, of up to four bytes. */
function textBound(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}
