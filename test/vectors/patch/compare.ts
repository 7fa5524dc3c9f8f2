import { deepEqual } from '../../../src/base/index.ts';
import { vectorKinds } from '../apply/kinds.ts';
import type { VectorKind } from '../apply/vector-kind.ts';
import type { TestServer } from '../apply/test-server.ts';
import { normalize } from '../apply/vector.ts';
import { errorText, type PatchVector, resultOf } from './patch-vector.ts';

export const MEDIA_TYPES = {
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
} as const;

/** What we answer to a patch, and what Kubernetes does. */
export interface Difference {
  readonly body: unknown;
  readonly want: unknown;
  readonly got: unknown;
}

/** Compares one patch; undefined when the answers are the same. */
export async function compare(
  server: TestServer,
  path: string,
  [object, vector]: readonly [unknown, PatchVector],
): Promise<Difference | undefined> {
  const { type, body, code } = vector;
  const reply = await server.send('PATCH', `${path}?dryRun=All&fieldManager=p`, { body, type: MEDIA_TYPES[type] });
  const text = errorText(reply.body);
  if (code === 0) return reply.code >= 400 ? undefined : { body, want: 'a panic', got: reply.body };
  if (reply.code !== code) return { body, want: { code, errors: vector.errors }, got: reply.body };
  if (code >= 400) {
    return vector.errors?.includes(text) === true ? undefined : { body, want: vector.errors, got: text };
  }
  const want = resultOf(object, vector);
  const got = withEmptyManagedFields(normalize(reply.body, 0));
  if (!deepEqual(got, want)) return { body, want, got };
  const unknown = (texts: readonly string[] = []): string[] => texts.filter((one) => / field "/.test(one)).sort();
  return deepEqual(unknown(reply.warnings), unknown(vector.warnings))
    ? undefined
    : { body, want: vector.warnings, got: reply.warnings };
}

export function placeOf(resource: string): { readonly path: string; readonly collection: string } {
  const plural = resource.slice(0, resource.indexOf('.'));
  const { apiVersion, namespaced } = vectorKinds.find((kind) => kind.plural === plural) as VectorKind;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection = `${root}${namespaced ? '/namespaces/ns' : ''}/${plural}`;
  return { collection, path: `${collection}/x` };
}

export function withEmptyManagedFields(object: unknown): unknown {
  const { metadata, ...rest } = object as { metadata: Record<string, unknown> };
  const { managedFields: _, generation: _2, ...others } = metadata;
  return { ...rest, metadata: others };
}
