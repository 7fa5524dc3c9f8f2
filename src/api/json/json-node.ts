import { NumberToken } from './number-token.ts';
import { isPlainObject } from './plain-object.ts';

/** A JSON value exactly as written: keys in order and with duplicates, numbers as text. */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' };

export interface JsonEntry {
  readonly key: string;
  readonly value: JsonNode;
}

export const NULL_NODE: JsonNode = { kind: 'null' };

/** Deeper than anything that is kept; nothing below is converted. */
const DEEPEST = 2000;

/** Converts a decoded value to nodes, for explaining problems. */
export function nodeOf(value: unknown, depth = 0): JsonNode {
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', text: String(value) };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (value instanceof NumberToken) return { kind: 'number', text: value.text };
  if (depth > DEEPEST) return NULL_NODE;
  if (Array.isArray(value)) return { kind: 'array', items: value.map((item) => nodeOf(item, depth + 1)) };
  if (!isPlainObject(value)) return NULL_NODE;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return { kind: 'object', entries: entries.map(([key, item]) => ({ key, value: nodeOf(item, depth + 1) })) };
}
