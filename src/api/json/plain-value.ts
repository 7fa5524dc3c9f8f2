import type { Field, Shape } from '../schema/schema.ts';
import type { JsonEntry, JsonNode } from './json-node.ts';
import { NumberToken } from './number-token.ts';
import { type PlainObject, setOwn } from './plain-object.ts';
import { MAX_KEPT_DEPTH, tooDeep } from './walk.ts';

const PLAIN_INTEGER = /^-?\d{1,15}$/;

/**
 * The value that nodes stand for, with duplicate keys taken together as Go does it when it decodes into a type: structs
 * are merged, maps too (an entry is replaced), list elements one by one, all else is replaced.
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
  }
}

function structValue(entries: readonly JsonEntry[], shape: Shape & { kind: 'struct' }, depth: number): PlainObject {
  const { struct } = shape;
  const merged = new Map<string, JsonNode>();
  for (const { key, value } of entries) {
    const before = merged.get(key);
    const field = struct.field(key);
    merged.set(key, before === undefined || field === undefined ? value : mergeField(before, value, field));
  }
  const result: PlainObject = {};
  for (const [key, value] of merged) {
    const field = struct.field(key);
    const isDropped = field === undefined && !struct.preservesUnknown;
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

function mergeField(before: JsonNode, after: JsonNode, field: Field): JsonNode {
  return after.kind === 'null' && field.presence === 'pointer' ? after : merge(before, after, field.shape);
}

/** Null empties lists and maps and resets the special scalars; elsewhere Go leaves what was there. */
function merge(before: JsonNode, after: JsonNode, shape: Shape): JsonNode {
  if (after.kind === 'null') return isReset(shape) ? after : before;
  if (shape.kind === 'list' && before.kind === 'array' && after.kind === 'array') {
    const { element } = shape;
    const items = after.items.map((item, index) => {
      const old = before.items[index];
      return old === undefined ? item : merge(old, item, element);
    });
    return { kind: 'array', items };
  }
  const isMerged = (shape.kind === 'struct' || shape.kind === 'map') && before.kind === 'object' && after.kind === 'object';
  return isMerged ? { kind: 'object', entries: [...before.entries, ...after.entries] } : after;
}

function isReset(shape: Shape): boolean {
  if (shape.kind !== 'scalar') return shape.kind !== 'struct';
  return ['Time', 'MicroTime', 'Quantity', 'bytes'].includes(shape.scalar);
}

function checkDepth(depth: number): void {
  if (depth > MAX_KEPT_DEPTH) throw tooDeep();
}
