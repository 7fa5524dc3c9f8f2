import { batch, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { resourceName, type ResourceKind } from '../cluster/resource-kind.ts';
import { inNamespace, kubectl } from '../parts/kubectl-command.ts';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { useRun } from '../parts/use-run.ts';
import { linkTo, type Route } from '../shell/router.ts';
import { useApp } from '../shell/app-context.ts';
import { DeleteSelected } from './delete-selected.tsx';
import { matcherOf } from './row-filter.ts';
import { OrderedRows } from './ordered-rows.ts';
import type { Order } from './row-order.ts';
import type { Row } from './table-rows.ts';
import { TableSource } from './table-source.ts';
import { TableView } from './table-view.tsx';

/** All objects of one kind. */
export function ListView({ kind, route }: { readonly kind: ResourceKind; readonly route: Route }) {
  const { connection, namespace: chosen, moment } = useApp();
  const { labels = '', fields = '' } = route.parameters;
  const namespace = kind.isNamespaced ? chosen.value : '';
  const at = moment.value?.revision;
  const source = useMemo(
    () => new TableSource(connection, { kind, namespace, labelSelector: labels, fieldSelector: fields, at }),
    [connection, kind, namespace, labels, fields, at],
  );
  useRun((signal) => source.run(signal), [source, connection.generation.value]);
  const name = resourceName(kind);
  const command = kubectl(
    'get',
    name,
    ...(kind.isNamespaced ? (namespace === '' ? ['-A'] : inNamespace(namespace)) : []),
    ...(labels === '' ? [] : ['-l', labels]),
    ...(fields === '' ? [] : ['--field-selector', fields]),
  );
  return (
    <section class="list-view" aria-label={kind.kind}>
      <ListTable
        key={`${name}/${namespace}/${labels}/${fields}/${at}`}
        source={source}
        route={route}
        command={command}
      />
    </section>
  );
}

function ListTable({
  source,
  route,
  command,
}: {
  readonly source: TableSource;
  readonly route: Route;
  readonly command: string;
}) {
  const app = useApp();
  const { kind } = source.query;
  const filter = useSignal(route.parameters['filter'] ?? '');
  const order = useSignal<Order>({ by: 'Name', isDescending: false });
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const isWide = useSignal(false);
  const shown = useShownRows(source, { filter, order });
  const state = source.state.value;
  const total = source.rows.size;
  const count = shown.value.length;
  const toggle = (rows: readonly Row[], isOn: boolean): void => {
    const next = new Set(selected.value);
    for (const { id } of rows) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    selected.value = next;
  };
  useSignalEffect(() => {
    void source.version.value;
    const gone = [...selected.peek()].filter((id) => !source.rows.has(id));
    if (gone.length > 0) selected.value = new Set([...selected.peek()].filter((id) => source.rows.has(id)));
  });
  return (
    <>
      <header class="view-header">
        <h1>
          {kind.kind}
          <small>
            {kind.group === '' ? 'core' : kind.group}/{kind.version}
          </small>
        </h1>
        <FilterFields kind={kind} filter={filter} route={route} />
        <span class="count" role="status">
          {count === total ? `${total}` : `${count} of ${total}`}
          {source.remaining.value > 0 ? ` (+${source.remaining.value} to come)` : ''}
          {state.type === 'live' && state.isPolled ? ' · asked every 4 s' : ''}
        </span>
        <label class="check">
          <input type="checkbox" checked={isWide.value} onChange={() => (isWide.value = !isWide.value)} />
          wide
        </label>
        {kind.verbs.has('create') &&
        app.moment.value === undefined &&
        app.connection.info.value?.isReadOnly !== true ? (
          <a class="button" href={linkTo(['new', resourceName(kind)])}>
            New
          </a>
        ) : null}
        <DeleteSelected source={source} selected={selected} />
      </header>
      {state.type === 'failed' ? <Problem error={state.error} what={`the list of ${kind.resource}`} /> : null}
      <TableView
        source={source}
        rows={shown.value}
        order={order}
        selected={selected.value}
        isWide={isWide.value}
        onToggle={toggle}
        onClear={() => batch(() => (selected.value = new Set()))}
      />
      <footer class="view-footer">
        <KubectlLine command={command} />
      </footer>
    </>
  );
}

/** The rows that match, in order; only what has changed is put in its place. */
function useShownRows(
  source: TableSource,
  { filter, order }: { readonly filter: { value: string }; readonly order: { value: Order } },
) {
  const last = useRef<{ readonly rows: OrderedRows; readonly made: readonly unknown[]; version: number } | undefined>(
    undefined,
  );
  return useComputed((): readonly Row[] => {
    const version = source.version.value;
    const made = [filter.value, order.value, source.columns.value];
    const known = last.current;
    const changes = known === undefined ? undefined : source.changesSince(known.version);
    if (known !== undefined && changes !== undefined && made.every((each, index) => each === known.made[index])) {
      known.rows.apply(changes, source.rows.values());
      known.version = version;
      return known.rows.rows;
    }
    const choice = { columns: source.columns.value, order: order.value, matches: matcherOf(filter.value) };
    const rows = new OrderedRows(source.rows.values(), choice);
    last.current = { rows, made, version };
    return rows.rows;
  });
}

function FilterFields({
  kind,
  filter,
  route,
}: {
  readonly kind: ResourceKind;
  readonly filter: { value: string };
  readonly route: Route;
}) {
  const { router } = useApp();
  const onSelector =
    (parameter: 'labels' | 'fields') =>
    ({ currentTarget }: { currentTarget: HTMLInputElement }): void =>
      router.adjust({ [parameter]: currentTarget.value.trim() });
  return (
    <div class="filters">
      <input
        id="filter"
        type="search"
        placeholder="Filter  /"
        aria-label={`Filter ${kind.resource} by text`}
        value={filter.value}
        onInput={({ currentTarget }) => {
          filter.value = currentTarget.value;
          router.adjust({ filter: currentTarget.value });
        }}
      />
      <input
        type="text"
        placeholder="Labels: app=web"
        aria-label="Label selector"
        value={route.parameters['labels'] ?? ''}
        onChange={onSelector('labels')}
      />
      <input
        type="text"
        placeholder="Fields: metadata.name=web"
        aria-label="Field selector"
        value={route.parameters['fields'] ?? ''}
        onChange={onSelector('fields')}
      />
    </div>
  );
}
