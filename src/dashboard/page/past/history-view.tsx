import { useMemo } from 'preact/hooks';
import { resourceName } from '../cluster/resource-kind.ts';
import { Problem } from '../parts/problem.tsx';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';
import { linkTo, type Route } from '../shell/router.ts';
import { ChangeDetailView } from './change-detail-view.tsx';
import { ChangePages } from './change-pages.ts';
import { ChangeTable } from './change-table.tsx';

/** What changed in the cluster or a namespace, when and by whom. */
export function HistoryView({ route }: { readonly route: Route }) {
  const { connection, discovery, namespace, router } = useApp();
  const [, revision] = route.path;
  const { resource = '', from = '', to = '' } = route.parameters;
  const pages = useMemo(
    () => new ChangePages(connection, { resource, namespace: namespace.value, from, to }),
    [connection, resource, namespace.value, from, to],
  );
  useRun((signal) => pages.run(signal), [pages, connection.generation.value]);
  const kinds = discovery.kinds.value.filter(({ verbs }) => verbs.has('watch')).map(resourceName);
  return (
    <section class="object-view" aria-label="What changed">
      <header class="view-header">
        <h1>
          What changed
          <small>{namespace.value === '' ? 'in all namespaces' : `in ${namespace.value}`}</small>
        </h1>
        <label class="picker">
          <span>kind</span>
          <select value={resource} onChange={({ currentTarget }) => router.adjust({ resource: currentTarget.value })}>
            <option value="">all</option>
            {kinds.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="picker">
          <span>from</span>
          <input
            placeholder="revision or time"
            value={from}
            onChange={({ currentTarget }) => router.adjust({ from: currentTarget.value })}
          />
        </label>
        <label class="picker">
          <span>to</span>
          <input
            placeholder="revision or time"
            value={to}
            onChange={({ currentTarget }) => router.adjust({ to: currentTarget.value })}
          />
        </label>
      </header>
      {pages.error.value === undefined ? null : <Problem error={pages.error.value} what="the history" />}
      <div class={`tab-body split ${revision === undefined ? '' : 'two'}`}>
        <div class="changes-column">
          <ChangeTable
            changes={pages.changes.value}
            current={revision === undefined ? undefined : Number(revision)}
            linkOf={(change) => linkTo(['history', String(change.revision)], { resource, from, to })}
          />
          {pages.hasMore.value ? (
            <p class="toolbar">
              <button type="button" onClick={() => void pages.more()}>
                Older changes
              </button>
            </p>
          ) : null}
        </div>
        {revision === undefined ? null : <ChangeDetailView key={revision} revision={revision} />}
      </div>
    </section>
  );
}
