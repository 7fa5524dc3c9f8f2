import { type ApiObject, badRequest, withMeta } from '../../api/index.ts';
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
  object.metadata = withMeta(metadata, { namespace: expected === '' ? undefined : expected });
}

/** A new object without what only the server may give, whatever the client has sent. */
export function withoutSystemFields(object: ApiObject): ApiObject {
  const metadata = withMeta(object.metadata, NEITHER_MADE_NOR_MARKED);
  return { ...object, metadata };
}

/** Nothing is created as being deleted. */
const UNMARKED = { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined, selfLink: undefined };
const NEITHER_MADE_NOR_MARKED = { uid: undefined, creationTimestamp: undefined, ...UNMARKED };

/** Gives a new object what only the server may give: uid, creation time, a generated name. */
export function fillSystemFields(object: ApiObject, endpoint: Endpoint, context: WriteContext): void {
  const { generateName = '', name = '' } = object.metadata;
  object.metadata = withMeta(object.metadata, {
    name: name === '' && generateName !== '' ? generatedName(generateName, endpoint) : object.metadata.name,
    uid: context.newUid(),
    creationTimestamp: timestamp(context.now),
    ...UNMARKED,
  });
}

const MAX_GENERATED_BASE = 58;

/** The prefix, cut so that the whole is a DNS label, and five random characters. */
function generatedName(prefix: string, endpoint: Endpoint): string {
  return prefix.slice(0, MAX_GENERATED_BASE) + endpoint.services.random.nameSuffix(5);
}
