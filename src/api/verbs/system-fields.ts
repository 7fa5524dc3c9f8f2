import type { ApiObject } from '../object.ts';
import { badRequest, conflict, OBJECT_MODIFIED } from '../status.ts';
import type { GroupResource } from '../values/index.ts';
import { withMeta } from '../with-meta.ts';
import type { Random } from '../../base/index.ts';
import type { Preconditions } from './delete-options.ts';
import { timestamp } from './timestamps.ts';

/** Sets the namespace of `object` from the path; throws a Status of 400 if the object names another one. */
export function ensureNamespace(object: ApiObject, isNamespaced: boolean, namespace: string): void {
  const { metadata } = object;
  const expected = isNamespaced ? namespace : '';
  const sent = metadata.namespace ?? '';
  if (sent === expected) return;
  if (sent !== '' && expected !== '') {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  object.metadata = withMeta(metadata, { namespace: expected === '' ? undefined : expected });
}

/** Throws a Status of 400 unless the object has the name in the path. */
export function checkName(object: ApiObject, name: string): void {
  const own = object.metadata.name ?? '';
  if (own === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

/** A new object without the fields that only the server may set, whatever the client has sent. */
export function withoutSystemFields(object: ApiObject): ApiObject {
  const metadata = withMeta(object.metadata, NEITHER_MADE_NOR_MARKED);
  return { ...object, metadata };
}

/** New objects are not being deleted. */
const UNMARKED = { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined, selfLink: undefined };
const NEITHER_MADE_NOR_MARKED = { uid: undefined, creationTimestamp: undefined, ...UNMARKED };

/** The sources of the server's fields of a new object. */
export interface SystemFieldSources {
  newUid(): string;
  /** In the clock's milliseconds. */
  readonly now: number;
}

/** Sets the fields of a new object that only the server may set: uid, creation time, a generated name. */
export function fillSystemFields(object: ApiObject, { newUid, now }: SystemFieldSources, random: Random): void {
  const { generateName = '', name = '' } = object.metadata;
  object.metadata = withMeta(object.metadata, {
    name: name === '' && generateName !== '' ? generatedName(generateName, random) : object.metadata.name,
    uid: newUid(),
    creationTimestamp: timestamp(now),
  });
}

const MAX_GENERATED_BASE = 58;

/** The prefix, truncated so that the whole is a DNS label, and five random characters. */
function generatedName(prefix: string, random: Random): string {
  return prefix.slice(0, MAX_GENERATED_BASE) + random.nameSuffix(5);
}

/** Restores what no update may change: uid, creation time, and deletion mark. */
export function keepSystemFields(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const was = old.metadata;
  object.metadata = withMeta(metadata, {
    uid: (metadata.uid ?? '') === '' ? was.uid : metadata.uid,
    creationTimestamp: was.creationTimestamp ?? metadata.creationTimestamp,
    deletionTimestamp: was.deletionTimestamp ?? metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? was.deletionGracePeriodSeconds,
  });
}

/** True if an update removed the last finalizer of an object that waited only for that: the object is then removed. */
export function isReleased(object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) <= 0;
}

/** The precondition of an update that the stored object fails; undefined if it meets all. */
export function failedPrecondition(wanted: Preconditions | undefined, { metadata }: ApiObject): string | undefined {
  const uid = metadata.uid ?? '';
  if (wanted?.uid === undefined || wanted.uid === uid) return undefined;
  return `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`;
}

/** Throws a Status of 409 if the client changed another version than the newest. An object without a version passes. */
export function checkIsNewest(object: ApiObject, old: ApiObject, subject: GroupResource): void {
  const { resourceVersion: sent = '' } = object.metadata;
  if (sent !== '' && sent !== old.metadata.resourceVersion) {
    throw conflict(subject, old.metadata.name ?? '', OBJECT_MODIFIED);
  }
}
