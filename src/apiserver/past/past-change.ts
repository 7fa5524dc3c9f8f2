import { type ApiObject, blankSecret, changedFields } from '../../api/index.ts';
import type { ManagedFieldsEntry } from '../../api/types/meta/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { StoreEvent } from '../../store/index.ts';
import type { StoredPlace } from './stored-kinds.ts';

/** One change of one object, as `/keelson/history` describes it. */
export interface PastChange {
  /** The resourceVersion of the object after the change, or that of its deletion. */
  readonly revision: number;
  /** RFC 3339, with milliseconds. */
  readonly time: string;
  readonly verb: 'create' | 'update' | 'delete';
  readonly group: string;
  /** The version in which the object is stored. */
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** The field manager of the entry in managedFields that the change added or changed. */
  readonly manager?: string;
  readonly subresource?: string;
  /** Of updates: what they changed, in few words, such as `spec.replicas: 3 → 9`. */
  readonly fields?: readonly string[];
  /** Who sent the request, and its id; only while the request is among those that are kept. */
  readonly user?: string;
  readonly request?: string;
}

/** A change with the object before and after it; Secrets have no values. */
export interface PastChangeDetail extends PastChange {
  readonly before?: ApiObject;
  readonly after?: ApiObject;
}

/** An event of the store whose kind is served. */
export interface FoundEvent {
  readonly event: StoreEvent;
  readonly place: StoredPlace;
  readonly revision: number;
  readonly timeMs: number;
}

/** Reads the objects of an event, and describes the change. */
export async function changeOf({ event, place, revision, timeMs }: FoundEvent): Promise<PastChangeDetail> {
  const { kind, namespace, name } = place;
  const { objects, resource } = kind;
  const before = event.previous === undefined ? undefined : (await objects.open(event.previous)).object;
  const after = event.type === 'put' ? (await objects.open(event.entry)).object : undefined;
  const { apiVersion = resource.storage.apiVersion, metadata } = after ?? before ?? { metadata: {} };
  const [shownBefore, shownAfter] = [before, after].map((object) => object && blankSecret(object));
  return {
    revision,
    time: new Date(timeMs).toISOString(),
    verb: after === undefined ? 'delete' : before === undefined ? 'create' : 'update',
    group: resource.group,
    version: apiVersion.slice(apiVersion.indexOf('/') + 1),
    resource: resource.plural,
    kind: resource.kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    uid: metadata.uid ?? '',
    ...(after === undefined ? {} : writerOf(before, after)),
    ...(shownBefore === undefined || shownAfter === undefined
      ? {}
      : { fields: changedFields(shownBefore, shownAfter) }),
    ...(shownBefore === undefined ? {} : { before: shownBefore }),
    ...(shownAfter === undefined ? {} : { after: shownAfter }),
  };
}

/** The entry of managedFields that is new or different after the change. */
function writerOf(before: ApiObject | undefined, after: ApiObject): Pick<PastChange, 'manager' | 'subresource'> {
  const former = before?.metadata.managedFields ?? [];
  const entries = after.metadata.managedFields ?? [];
  const changed = entries.filter((entry) => !former.some((known) => known === entry || deepEqual(known, entry)));
  // a manager that only lost fields to another one has changed, too, and its time has not
  const isNew = (entry: (typeof entries)[number]): boolean => !former.some((known) => isSameManager(known, entry));
  const hasActed = (entry: (typeof entries)[number]): boolean => !former.some(({ time }) => time === entry.time);
  const { manager, subresource } = changed.findLast(isNew) ?? changed.findLast(hasActed) ?? changed.at(-1) ?? {};
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
  };
}

function isSameManager(left: ManagedFieldsEntry, right: ManagedFieldsEntry): boolean {
  return left.manager === right.manager && left.operation === right.operation && left.subresource === right.subresource;
}
