import { unreachable } from '../../base/index.ts';
import type { Field, Shape } from '../schema/schema.ts';
import { type JsonEntry, type JsonNode, NULL_NODE } from './json-node.ts';
import { NumberToken } from './number-token.ts';
import { type PlainObject, setOwn } from './plain-object.ts';
import { MAX_KEPT_DEPTH, tooDeep } from './walk.ts';

const PLAIN_INTEGER = /^-?\d{1,15}$/;

/**
 * The value of nodes, with duplicate keys merged as Go does when it decodes into a type: structs and maps are merged (a map
 * entry is replaced), list elements one by one, everything else is replaced.
 */
export function plainValue(node: JsonNode, shape: Shape | undefined, depth = 0): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'string':
    case 'bool':
      return node.value;
    case 'number':
      return PLAIN_INTEGER.test(node.text) ? Number(node.text) : new NumberToken(node.text);
    case 'array': {
      checkDepth(depth);
      const element = shape?.kind === 'list' ? shape.element : undefined;
      return node.items.map((item) => plainValue(item, element, depth + 1));
    }
    case 'object':
      checkDepth(depth);
      return shape?.kind === 'struct' ? structValue(node.entries, shape, depth) : mapValue(node.entries, shape, depth);
    default:
      return unreachable(node);
  }
}

function structValue(entries: readonly JsonEntry[], shape: Shape & { kind: 'struct' }, depth: number): PlainObject {
  const { struct } = shape;
  const byKey = new Map<string, JsonNode[]>();
  for (const { key, value } of entries) {
    const values = byKey.get(key);
    if (values === undefined) byKey.set(key, [value]);
    else values.push(value);
  }
  const result: PlainObject = {};
  for (const [key, values] of byKey) {
    const field = struct.field(key);
    const isDropped = field === undefined && !struct.preservesUnknown;
    const value = field === undefined ? (values.at(-1) ?? NULL_NODE) : mergeField(values, field);
    setOwn(result, key, isDropped ? null : plainValue(value, field?.shape, depth + 1));
  }
  return result;
}

function mapValue(entries: readonly JsonEntry[], shape: Shape | undefined, depth: number): PlainObject {
  const element = shape?.kind === 'map' ? shape.value : undefined;
  const result: PlainObject = {};
  for (const { key, value } of entries) setOwn(result, key, plainValue(value, element, depth + 1));
  return result;
}

function mergeField(values: readonly JsonNode[], field: Field): JsonNode {
  if (values.length === 1) return values[0] ?? NULL_NODE;
  const lastNull = field.presence === 'pointer' ? values.findLastIndex((value) => value.kind === 'null') : -1;
  return mergeValues(lastNull < 0 ? values : values.slice(lastNull), field.shape);
}

/** Null empties lists and maps and resets the special scalars; otherwise Go keeps the earlier value. */
function mergeValues(values: readonly JsonNode[], shape: Shape): JsonNode {
  const start = isReset(shape) ? values.findLastIndex((value) => value.kind === 'null') + 1 : 0;
  const later = values.slice(start).filter((value) => value.kind !== 'null');
  const last = later.at(-1);
  if (last === undefined || later.length === 1) return last ?? NULL_NODE;
  if (shape.kind === 'list') return mergeLists(later, shape.element);
  if (shape.kind === 'scalar') return last;
  return { kind: 'object', entries: later.flatMap((value) => (value.kind === 'object' ? value.entries : [])) };
}

/** As long as the last one; an empty one discards the earlier ones. */
function mergeLists(values: readonly JsonNode[], element: Shape): JsonNode {
  const lists = values.map((value) => (value.kind === 'array' ? value.items : []));
  const sinceEmpty = lists.slice(lists.findLastIndex((items) => items.length === 0) + 1);
  const length = lists.at(-1)?.length ?? 0;
  const byIndex: JsonNode[][] = Array.from({ length }, () => []);
  for (const items of sinceEmpty) for (const [index, item] of items.entries()) byIndex[index]?.push(item);
  return { kind: 'array', items: byIndex.map((items) => mergeValues(items, element)) };
}

function isReset(shape: Shape): boolean {
  if (shape.kind !== 'scalar') return shape.kind !== 'struct';
  return ['Time', 'MicroTime', 'Quantity', 'bytes'].includes(shape.scalar);
}

function checkDepth(depth: number): void {
  if (depth > MAX_KEPT_DEPTH) throw tooDeep();
}
