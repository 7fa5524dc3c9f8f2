import { useSignal } from '@preact/signals';
import type { ChangeDetail } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { withoutManagedFields } from '../cluster/object-parts.ts';
import { Problem } from '../parts/problem.tsx';
import { shortUser } from '../parts/short-user.ts';
import { useRun } from '../parts/use-run.ts';
import { linkToObject, useApp } from '../shell/app-context.ts';
import { linkTo } from '../shell/router.ts';
import { DifferenceView } from '../yaml/difference-view.tsx';
import { PutBack } from './put-back.tsx';

/** What one change did, who made it, and the button that undoes it. */
export function ChangeDetailView({ revision }: { readonly revision: string }) {
  const { connection, moment } = useApp();
  const detail = useSignal<ChangeDetail | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const hasManaged = useSignal(false);
  useRun(
    async (signal) => {
      try {
        detail.value = await connection.own<ChangeDetail>(`history/${encodeURIComponent(revision)}`, { signal });
      } catch (cause) {
        if (!signal.aborted) error.value = cause;
      }
    },
    [connection, revision],
  );
  if (error.value !== undefined) return <Problem error={error.value} what={`the change at revision ${revision}`} />;
  const change = detail.value;
  if (change === undefined) return <p class="empty">Loading…</p>;
  const { before, after, verb, kind, name, namespace, time, manager, user, request, subresource } = change;
  const shown = (object: typeof before): unknown =>
    object === undefined || hasManaged.value ? object : withoutManagedFields(object);
  return (
    <div class="applied-tab">
      <div class="toolbar">
        <p>
          <strong>{verb}</strong> {kind}{' '}
          <a href={linkToObject(change, change)}>{namespace === undefined ? name : `${namespace}/${name}`}</a>
          {subresource === undefined ? '' : ` (${subresource})`} at {formatTime(time)}
          {manager === undefined && user === undefined ? '' : ' by '}
          <strong>{manager ?? shortUser(user ?? '')}</strong>
          {manager !== undefined && user !== undefined ? ` (${shortUser(user)})` : ''} · revision {change.revision}
        </p>
        <label class="check">
          <input type="checkbox" checked={hasManaged.value} onChange={() => (hasManaged.value = !hasManaged.value)} />
          managedFields
        </label>
        <span class="grow" />
        {request === undefined ? null : (
          <a class="button" href={linkTo(['requests', request])}>
            The request
          </a>
        )}
        <a class="button" href={linkTo(['causes'], { revision: String(change.revision) })}>
          Because of what
        </a>
        <button type="button" onClick={() => (moment.value = { revision: change.revision, time })}>
          The page as of then
        </button>
        <PutBack change={change} wanted={before} />
      </div>
      <DifferenceView before={shown(before)} after={shown(after)} label="What the change did" />
    </div>
  );
}
