import { badRequest } from '../../api/index.ts';
import type { ApiObject, ObjectMeta } from '../../api/index.ts';
import type { Endpoint } from '../endpoint.ts';
import type { WriteContext } from '../resource.ts';
import { timestamp } from './timestamps.ts';

/** Sets the namespace from the path; another one in the object is a mistake. */
export function ensureNamespace(object: ApiObject, endpoint: Endpoint, namespace: string): void {
  const { metadata } = object;
  const expected = endpoint.resource.namespaced ? namespace : '';
  const sent = metadata.namespace ?? '';
  if (sent === expected) return;
  if (sent !== '' && expected !== '') {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const { namespace: _, ...rest } = metadata;
  object.metadata = expected === '' ? rest : ordered({ ...rest, namespace: expected });
}

/** Gives a new object what only the server may give: uid, creation time, a generated name. */
export function fillSystemFields(object: ApiObject, endpoint: Endpoint, context: WriteContext): void {
  const { generateName, name, ...rest } = object.metadata;
  const { deletionTimestamp: _1, deletionGracePeriodSeconds: _2, selfLink: _3, ...kept } = rest;
  const isGenerated = (name ?? '') === '' && (generateName ?? '') !== '';
  object.metadata = ordered({
    ...kept,
    ...(isGenerated ? { name: generatedName(generateName ?? '', endpoint) } : { name }),
    generateName,
    uid: context.newUid(),
    creationTimestamp: timestamp(context.now),
  });
}

const MAX_GENERATED_BASE = 58;

/** The prefix, cut so that the whole is a DNS label, and five random characters. */
export function generatedName(prefix: string, endpoint: Endpoint): string {
  return prefix.slice(0, MAX_GENERATED_BASE) + endpoint.services.random.nameSuffix(5);
}

/** Metadata with its members in the order of JSON output, absent ones left out. */
export function ordered(metadata: ObjectMeta): ObjectMeta {
  const result: Record<string, unknown> = {};
  const source = metadata as Record<string, unknown>;
  for (const name of META_ORDER) if (source[name] !== undefined) result[name] = source[name];
  return result as ObjectMeta;
}

const META_ORDER: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];
