import { useComputed, useSignal } from '@preact/signals';
import type { RequestList, RequestTrace } from '../../protocol.ts';
import { formatDuration, formatTime } from '../browser/ages.ts';
import { sleep } from '../browser/clock.ts';
import { Problem } from '../parts/problem.tsx';
import { shortUser } from '../parts/short-user.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useRun } from '../parts/use-run.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { useApp } from '../shell/app-context.ts';
import { linkTo, type Route } from '../shell/router.ts';
import { RequestSteps } from './request-steps.tsx';

const ROW_HEIGHT = 30;
const MAX_KEPT = 2_000;
const PAUSE_MS = 500;
const RETRY_MS = 3_000;

/** The requests that the server keeps, the newest first, and what each stage said about one of them. */
export function RequestsView({ route }: { readonly route: Route }) {
  const { connection } = useApp();
  const [, id] = route.path;
  const requests = useSignal<readonly RequestTrace[]>([]);
  const error = useSignal<unknown>(undefined);
  const filter = useSignal('');
  const hasAll = useSignal(false);
  useRun(
    async (signal) => {
      while (!signal.aborted) {
        const last = requests.peek()[0]?.id;
        const query = last === undefined ? '' : `?after=${encodeURIComponent(last)}&wait=20s`;
        try {
          const list = await connection.own<RequestList>(`requests${query}`, { signal });
          if (list.items.length > 0)
            requests.value = [...list.items.toReversed(), ...requests.peek()].slice(0, MAX_KEPT);
          error.value = undefined;
          await sleep(PAUSE_MS, signal);
        } catch (cause) {
          if (!signal.aborted) error.value = cause;
          await sleep(RETRY_MS, signal);
        }
      }
    },
    [connection, connection.generation.value],
  );
  const shown = useComputed(() => {
    const text = filter.value.toLowerCase();
    return requests.value.filter(
      (one) =>
        (hasAll.value || !isRoutine(one)) &&
        (text === '' ||
          `${one.user} ${one.userAgent} ${one.method} ${one.path} ${one.code}`.toLowerCase().includes(text)),
    );
  });
  const rows = shown.value;
  return (
    <section class="object-view" aria-label="Requests">
      <header class="view-header">
        <h1>Requests</h1>
        <div class="filters">
          <input
            id="filter"
            type="search"
            placeholder="Filter  /"
            aria-label="Filter requests by text"
            value={filter.value}
            onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
          />
        </div>
        <label class="check">
          <input type="checkbox" checked={hasAll.value} onChange={() => (hasAll.value = !hasAll.value)} />
          reads and leases
        </label>
        <span class="count" role="status">
          {rows.length}
        </span>
      </header>
      {error.value === undefined ? null : <Problem error={error.value} what="requests" />}
      <div class={`tab-body split ${id === undefined ? '' : 'two'}`}>
        <VirtualRows
          class="changes"
          label="Requests"
          count={rows.length}
          rowHeight={ROW_HEIGHT}
          renderRow={(index) => {
            const one = rows[index];
            if (one === undefined) return null;
            return (
              <div key={one.id} class={`change-row request-row ${one.id === id ? 'selected' : ''}`} role="listitem">
                <time title={one.time}>{formatTime(one.time)}</time>
                <StateMark text={String(one.code)} tone={one.code >= 500 ? 'bad' : one.code >= 400 ? 'busy' : 'good'} />
                <span class="mono">{one.method}</span>
                <a href={linkTo(['requests', one.id])} title={one.path}>
                  {id === undefined ? one.path : shortPath(one.path)}
                </a>
                <span class="who-changed hint" title={`${one.user}, ${one.userAgent}`}>
                  {shortUser(one.user)}
                </span>
                <span class="took">{formatDuration(one.durationMs)}</span>
              </div>
            );
          }}
        />
        {id === undefined ? null : <RequestDetail key={id} id={id} />}
      </div>
    </section>
  );
}

/** What runs all the time and changes nothing that people look for. */
function isRoutine({ method, path }: RequestTrace): boolean {
  return method === 'GET' || /\/leases(\/|$|\?)|\/selfsubject[a-z]+reviews$/.test(path);
}

/** The path without what says the version: beside a request's stages there is little room. */
function shortPath(path: string): string {
  return path.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)\//, '').replace(/^namespaces\/(?=[^/]+\/)/, '');
}

function RequestDetail({ id }: { readonly id: string }) {
  const { connection } = useApp();
  const trace = useSignal<RequestTrace | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useRun(
    async (signal) => {
      try {
        trace.value = await connection.own<RequestTrace>(`requests/${encodeURIComponent(id)}`, { signal });
      } catch (cause) {
        if (!signal.aborted) error.value = cause;
      }
    },
    [connection, id],
  );
  if (error.value !== undefined) return <Problem error={error.value} what="the request" />;
  const known = trace.value;
  if (known === undefined) return <p class="empty">Loading…</p>;
  return (
    <div class="request-detail">
      <div class="toolbar">
        <p class="wrap">
          <strong>
            {known.method} <span class="mono">{known.path}</span>
          </strong>
          <br />
          {known.user} <small>{known.userAgent}</small>
          <br />
          <StateMark
            text={`${known.code}${known.reason === undefined ? '' : ` ${known.reason}`}`}
            tone={known.code >= 400 ? 'bad' : 'good'}
          />{' '}
          in {formatDuration(known.durationMs)} at {formatTime(known.time)}
          {known.message === undefined ? null : <span class="step-reason">{known.message}</span>}
        </p>
        <span class="grow" />
        <a class="button" href={linkTo(['causes'], { request: known.id })}>
          Because of what
        </a>
      </div>
      {(known.warnings ?? []).map((warning) => (
        <p key={warning} class="toolbar state busy">
          <span class="mark" aria-hidden="true" />
          {warning}
        </p>
      ))}
      <RequestSteps trace={known} />
    </div>
  );
}
