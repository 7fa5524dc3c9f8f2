import { useSignal } from '@preact/signals';
import type { HistoryPage } from '../../protocol.ts';
import { sleep } from '../browser/clock.ts';
import { Problem } from '../parts/problem.tsx';
import { useRun } from '../parts/use-run.ts';
import { ChangeTable } from '../past/change-table.tsx';
import { useApp } from '../shell/app-context.ts';
import { linkTo, type Route } from '../shell/router.ts';
import { CauseGraphView } from './cause-graph-view.tsx';

const REFRESH_MS = 2_000;

/** The graph of what the address names or, without that, the newest changes to choose from. */
export function CausesView({ route }: { readonly route: Route }) {
  const isChosen = Object.keys(route.parameters).length > 0;
  const { request, revision, name } = route.parameters;
  const title = request === undefined ? (revision === undefined ? name : `revision ${revision}`) : `request ${request}`;
  return (
    <section class="object-view" aria-label="Because of what">
      <header class="view-header">
        <h1>
          Because of what
          <small>{isChosen ? title : ''}</small>
        </h1>
        {isChosen ? <a href={linkTo(['causes'])}>all changes</a> : null}
      </header>
      <div class="tab-body">{isChosen ? <CauseGraphView query={route.parameters} /> : <Recent />}</div>
    </section>
  );
}

function Recent() {
  const { connection, namespace } = useApp();
  const page = useSignal<HistoryPage | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useRun(
    async (signal) => {
      while (!signal.aborted) {
        const parameters = new URLSearchParams({
          limit: '100',
          ...(namespace.value === '' ? {} : { namespace: namespace.value }),
        });
        try {
          page.value = await connection.own<HistoryPage>(`history?${parameters}`, { signal });
          error.value = undefined;
        } catch (cause) {
          if (!signal.aborted) error.value = cause;
        }
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, namespace.value, connection.generation.value],
  );
  if (error.value !== undefined && page.value === undefined) return <Problem error={error.value} what="changes" />;
  return (
    <>
      <p class="toolbar hint">Choose a change to see what led to it, and what it led to.</p>
      <ChangeTable
        changes={page.value?.items ?? []}
        linkOf={({ revision }) => linkTo(['causes'], { revision: String(revision) })}
      />
    </>
  );
}
