import { changedFields } from '../../../api/client.ts';
import { deepEqual } from '../../../base/index.ts';
import type { Change, KubernetesObject } from '../../protocol.ts';
import type { SeenChange } from './change-log.ts';

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
  readonly subresource?: string;
}

/** A change as the page sees it. Who sent the request is not known. */
export function describeChange({ revision, timeMs, kind, before, after }: SeenChange): Change {
  const { namespace, name = '', uid = '' } = (after ?? before)?.metadata ?? {};
  return {
    revision,
    time: new Date(timeMs).toISOString(),
    verb: after === undefined ? 'delete' : before === undefined ? 'create' : 'update',
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    kind: kind.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    ...(after === undefined ? {} : writerOf(before, after)),
    ...(before === undefined || after === undefined ? {} : { fields: changedFields(before, after) }),
  };
}

/** The entry of managedFields that is new or different after the change. */
function writerOf(
  before: KubernetesObject | undefined,
  after: KubernetesObject,
): Pick<Change, 'manager' | 'subresource'> {
  const former = fieldsOf(before);
  const entries = fieldsOf(after);
  const changed = entries.filter((entry) => !former.some((known) => deepEqual(known, entry)));
  // a manager that only lost fields to another one has changed, too, and its time has not
  const isNew = (entry: (typeof entries)[number]): boolean => !former.some((known) => isSameManager(known, entry));
  const hasActed = (entry: (typeof entries)[number]): boolean => !former.some(({ time }) => time === entry.time);
  const { manager, subresource } = changed.findLast(isNew) ?? changed.findLast(hasActed) ?? changed.at(-1) ?? {};
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
  };
}

function fieldsOf(object: KubernetesObject | undefined): readonly ManagedFields[] {
  const entries = object?.metadata?.['managedFields'];
  return Array.isArray(entries) ? (entries as readonly ManagedFields[]) : [];
}

function isSameManager(left: ManagedFields, right: ManagedFields): boolean {
  return left.manager === right.manager && left.operation === right.operation && left.subresource === right.subresource;
}
