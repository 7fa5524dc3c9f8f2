import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Change, ChangeDetail } from '../../protocol.ts';
import { withoutManagedFields } from '../cluster/object-parts.ts';
import { resourceName } from '../cluster/resource-kind.ts';
import type { TabProps } from '../object/tab-props.ts';
import { Problem } from '../parts/problem.tsx';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';
import { linkTo } from '../shell/router.ts';
import { DifferenceView } from '../yaml/difference-view.tsx';
import { ChangePages } from './change-pages.ts';
import { ChangeTable } from './change-table.tsx';

/** What changed in the object, when and by whom, and the difference between any two of its states. */
export function HistoryTab({ kind, object }: TabProps) {
  const { connection, router } = useApp();
  const { namespace, name } = object.metadata ?? {};
  const resource = resourceName(kind);
  const pages = useMemo(
    () => new ChangePages(connection, { resource, namespace, name }),
    [connection, resource, namespace, name],
  );
  useRun((signal) => pages.run(signal), [pages, connection.generation.value]);
  const from = useSignal<Change | undefined>(undefined);
  const to = useSignal<Change | undefined>(undefined);
  void router.route.value;
  const error = pages.error.value;
  const isComparing = from.value !== undefined && to.value !== undefined;
  return (
    <div class="applied-tab">
      <p class="toolbar hint">
        Choose a change to see what it did; or compare the states after two of them.
        {isComparing ? (
          <button
            type="button"
            onClick={() => {
              from.value = undefined;
              to.value = undefined;
            }}
          >
            Stop comparing
          </button>
        ) : null}
      </p>
      {error === undefined ? null : <Problem error={error} what="the history" />}
      <div class="split">
        <ChangeTable
          changes={pages.changes.value}
          isOneObject
          linkOf={({ revision }) => linkTo(['history', String(revision)])}
          actionsOf={(change) => (
            <>
              <button
                type="button"
                class="quiet"
                aria-pressed={from.value?.revision === change.revision}
                onClick={() => (from.value = change)}
              >
                from
              </button>
              <button
                type="button"
                class="quiet"
                aria-pressed={to.value?.revision === change.revision}
                onClick={() => (to.value = change)}
              >
                to
              </button>
            </>
          )}
        />
        {from.value === undefined || to.value === undefined ? null : <Comparison from={from.value} to={to.value} />}
      </div>
      {pages.hasMore.value ? (
        <p class="toolbar">
          <button type="button" onClick={() => void pages.more()}>
            Older changes
          </button>
        </p>
      ) : null}
    </div>
  );
}

function Comparison({ from, to }: { readonly from: Change; readonly to: Change }) {
  const { connection } = useApp();
  const details = useSignal<readonly ChangeDetail[] | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useRun(
    async (signal) => {
      try {
        details.value = await Promise.all(
          [from, to].map(({ revision }) => connection.own<ChangeDetail>(`history/${revision}`, { signal })),
        );
      } catch (cause) {
        if (!signal.aborted) error.value = cause;
      }
    },
    [from.revision, to.revision],
  );
  if (error.value !== undefined) return <Problem error={error.value} what="the difference" />;
  const [before, after] = details.value ?? [];
  if (before === undefined || after === undefined) return <p class="empty">Loading…</p>;
  const shown = ({ after: object }: ChangeDetail): unknown =>
    object === undefined ? undefined : withoutManagedFields(object);
  return (
    <DifferenceView
      before={shown(before)}
      after={shown(after)}
      label={`From revision ${from.revision} to ${to.revision}`}
    />
  );
}
