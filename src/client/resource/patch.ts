import type { JsonPatchOperation } from '../../api/client.ts';

/** A change to an object, with the type that decides how it is merged. */
export interface Patch {
  readonly contentType: string;
  readonly body: unknown;
}

/**
 * JSON merge patch (RFC 7396): members replace members, null removes, lists are replaced as a whole. Works for every
 * kind.
 */
export function mergePatch(body: object): Patch {
  return { contentType: 'application/merge-patch+json', body };
}

/** JSON patch (RFC 6902): a sequence of operations, applied all or none. Works for every kind. */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: 'application/json-patch+json', body: operations };
}

/**
 * Strategic merge patch: as merge patch, but lists are merged by the keys that the kind defines. Not for custom
 * resources.
 */
export function strategicPatch(body: object): Patch {
  return { contentType: 'application/strategic-merge-patch+json', body };
}

/** Server-side apply; JSON is YAML too. */
export function applyPatch(body: object): Patch {
  return { contentType: 'application/apply-patch+yaml', body };
}
