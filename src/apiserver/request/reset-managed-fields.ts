import type { ApiObject, JsonNode } from '../../api/index.ts';

/**
 * Whether an object was sent with an empty list of field managers. Decoding drops it, as it drops all empty lists, but here it
 * says that all of them shall be forgotten.
 */
export function resetsManagedFields(sent: unknown): boolean {
  const entries = (sent as { metadata?: { managedFields?: unknown } } | null | undefined)?.metadata?.managedFields;
  return Array.isArray(entries) && entries.length === 0;
}

/** The same of what was parsed exactly. */
export function nodeResetsManagedFields(node: JsonNode): boolean {
  const entries = memberOf(memberOf(node, 'metadata'), 'managedFields');
  return entries?.kind === 'array' && entries.items.length === 0;
}

/** Puts the empty list back. */
export function withoutManagedFields(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, managedFields: [] } };
}

function memberOf(node: JsonNode | undefined, name: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.entries.findLast(({ key }) => key === name)?.value : undefined;
}
