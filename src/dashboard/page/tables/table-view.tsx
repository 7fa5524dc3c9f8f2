import { useSignal, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { elapsed } from '../browser/clock.ts';
import { Age } from '../parts/age.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { toneOf, toneOfShare } from '../parts/tone.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { linkToObject, useApp } from '../shell/app-context.ts';
import type { Order } from './row-order.ts';
import type { Column, Row } from './table-rows.ts';
import type { TableSource } from './table-source.ts';

export interface TableViewProps {
  readonly source: TableSource;
  readonly rows: readonly Row[];
  readonly order: Signal<Order>;
  readonly selected: ReadonlySet<string>;
  readonly isWide: boolean;
  readonly onToggle: (rows: readonly Row[], isOn: boolean) => void;
  readonly onClear: () => void;
}

interface ShownColumn {
  readonly name: string;
  readonly title: string | undefined;
  readonly type: 'name' | 'namespace' | 'age' | 'state' | 'share' | 'text';
  readonly index: number;
  /** In characters. */
  readonly width: number;
}

const ROW_HEIGHT = 30;
const MARKED_MS = 1_500;
const MIN_WIDTH = 6;
const MAX_WIDTH = 56;

/** The server's table, of which only rows in view exist in the document. */
export function TableView({ source, rows, order, selected, isWide, onToggle, onClear }: TableViewProps) {
  const { router, moment } = useApp();
  const { kind } = source.query;
  const cursor = useSignal<number | undefined>(undefined);
  const columns = useColumns(source, rows, isWide);
  const isSelectable = kind.verbs.has('delete') && moment.value === undefined;
  const template = [
    ...(isSelectable ? ['2.25rem'] : []),
    ...columns.map(({ width }) => `${width}ch`),
    'minmax(1rem, 1fr)',
  ].join(' ');
  const areAllSelected = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = cursor.value ?? -1;
    const row = rows[at];
    const move = (to: number): void => {
      cursor.value = Math.max(0, Math.min(rows.length - 1, to));
      event.preventDefault();
    };
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown' || event.key === 'j') move(at + 1);
    else if (event.key === 'ArrowUp' || event.key === 'k') move(at - 1);
    else if (event.key === 'PageDown') move(at + 20);
    else if (event.key === 'PageUp') move(at - 20);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(rows.length - 1);
    else if (event.key === 'Escape') onClear();
    else if (row !== undefined && (event.key === 'x' || event.key === ' ') && isSelectable) {
      onToggle([row], !selected.has(row.id));
      event.preventDefault();
    } else if (row !== undefined && event.key === 'Enter' && !(event.target instanceof HTMLAnchorElement)) {
      location.hash = linkToObject(kind, row);
    }
  };
  const header = (
    <div class="table-row table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {isSelectable ? (
        <div role="columnheader" class="cell">
          <input
            type="checkbox"
            aria-label="Select all"
            checked={areAllSelected}
            onChange={() => onToggle(rows, !areAllSelected)}
          />
        </div>
      ) : null}
      {columns.map(({ name, title }) => {
        const isBy = order.value.by === name;
        const direction = order.value.isDescending ? 'descending' : 'ascending';
        return (
          <div key={name} role="columnheader" class="cell" aria-sort={isBy ? direction : 'none'}>
            <button
              type="button"
              class="column"
              title={title}
              onClick={() => (order.value = { by: name, isDescending: isBy && !order.value.isDescending })}
            >
              {name}
              <span class="direction" aria-hidden="true">
                {isBy ? (order.value.isDescending ? '↓' : '↑') : ''}
              </span>
            </button>
          </div>
        );
      })}
      <div class="cell rest" aria-hidden="true" />
    </div>
  );
  void router;
  const state = source.state.value.type;
  return (
    <>
      <VirtualRows
        label={`${kind.kind} list`}
        role="grid"
        class="table"
        count={rows.length}
        columnCount={columns.length + (isSelectable ? 1 : 0)}
        rowHeight={ROW_HEIGHT}
        visible={cursor.value}
        header={header}
        onKeyDown={onKeyDown}
        renderRow={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TableRow
              key={row.id}
              row={row}
              isFresh={row.changedAt > 0 && elapsed() - row.changedAt < MARKED_MS}
              index={index}
              template={template}
              columns={columns}
              href={linkToObject(kind, row)}
              isSelected={selected.has(row.id)}
              isCursor={cursor.value === index}
              at={moment.value === undefined ? undefined : Date.parse(moment.value.time)}
              onToggle={isSelectable ? () => onToggle([row], !selected.has(row.id)) : undefined}
            />
          );
        }}
      />
      {rows.length === 0 && state !== 'failed' ? (
        <p class="empty" role="status">
          {state === 'loading'
            ? 'Loading…'
            : source.rows.size > 0
              ? 'Nothing matches the filter.'
              : `There are no ${kind.resource} here.`}
        </p>
      ) : null}
    </>
  );
}

interface TableRowProps {
  readonly row: Row;
  /** Whether the row is marked, since it has just changed. */
  readonly isFresh: boolean;
  readonly index: number;
  readonly template: string;
  readonly columns: readonly ShownColumn[];
  readonly href: string;
  readonly isSelected: boolean;
  readonly isCursor: boolean;
  readonly at: number | undefined;
  readonly onToggle: (() => void) | undefined;
}

function TableRow({ row, isFresh, index, template, columns, href, isSelected, isCursor, at, onToggle }: TableRowProps) {
  const classes = [
    'table-row',
    isSelected && 'selected',
    isCursor && 'cursor',
    isFresh && 'fresh',
    row.isTerminating && 'leaving',
  ];
  return (
    <div
      class={classes.filter(Boolean).join(' ')}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={onToggle === undefined ? undefined : isSelected}
      style={{ gridTemplateColumns: template }}
    >
      {onToggle === undefined ? null : (
        <div role="gridcell" class="cell">
          <input
            type="checkbox"
            aria-label={`Select ${row.name}`}
            checked={isSelected}
            onChange={onToggle}
            tabIndex={-1}
          />
        </div>
      )}
      {columns.map((column) => (
        <div key={column.name} role="gridcell" class={`cell ${column.type}`}>
          <Cell row={row} column={column} href={href} at={at} />
        </div>
      ))}
      <div class="cell rest" aria-hidden="true" />
    </div>
  );
}

function Cell({
  row,
  column,
  href,
  at,
}: {
  readonly row: Row;
  readonly column: ShownColumn;
  readonly href: string;
  readonly at: number | undefined;
}) {
  const text = row.cells[column.index] ?? '';
  switch (column.type) {
    case 'name':
      return <a href={href}>{row.name === '' ? text : row.name}</a>;
    case 'namespace':
      return <>{row.namespace}</>;
    case 'age':
      return row.createdMs === 0 ? <>{text}</> : <Age since={row.createdMs} at={at} />;
    case 'state': {
      const tone = toneOf(text);
      return tone === 'plain' ? <span title={text}>{text}</span> : <StateMark text={text} tone={tone} />;
    }
    case 'share': {
      const tone = toneOfShare(text);
      return <span class={tone === 'plain' ? '' : `state ${tone}`}>{text}</span>;
    }
    case 'text':
      return <span title={text.length > 20 ? text : undefined}>{text}</span>;
  }
}

const STATES = /^(status|phase|state|ready|available|established|synced|healthy|type|reason|completions)$/i;

/** The columns; the same array while nothing of them changes. */
function useColumns(source: TableSource, rows: readonly Row[], isWide: boolean): readonly ShownColumn[] {
  const last = useRef<readonly ShownColumn[]>([]);
  const columns = useMeasuredColumns(source, rows, isWide);
  const isSame = (one: ShownColumn, other: ShownColumn | undefined): boolean =>
    other !== undefined &&
    one.name === other.name &&
    one.index === other.index &&
    one.width === other.width &&
    one.type === other.type &&
    one.title === other.title;
  if (columns.length !== last.current.length || !columns.every((each, index) => isSame(each, last.current[index])))
    last.current = columns;
  return last.current;
}

/** Widths only grow while the same list is shown, so that columns do not jump. */
function useMeasuredColumns(source: TableSource, rows: readonly Row[], isWide: boolean): readonly ShownColumn[] {
  const widths = useRef(new Map<string, number>());
  const definitions = source.columns.value;
  const hasNamespace = source.query.kind.isNamespaced && (source.query.namespace ?? '') === '';
  const sample = rows.length <= 300 ? rows : [...rows.slice(0, 200), ...rows.slice(-100)];
  const widthOf = (name: string, textOf: (row: Row) => number): number => {
    let width = Math.max(widths.current.get(name) ?? MIN_WIDTH, name.length + 4);
    for (const row of sample) width = Math.max(width, textOf(row) + 3);
    width = Math.min(MAX_WIDTH, width);
    widths.current.set(name, width);
    return width;
  };
  const shown = definitions
    .map((definition, index) => ({ definition, index }))
    .filter(({ definition }) => isWide || definition.priority === 0)
    .map(({ definition, index }): ShownColumn => {
      const type = typeOf(definition, index);
      return {
        name: definition.name,
        title: definition.description,
        type,
        index,
        width:
          type === 'age'
            ? 9
            : widthOf(definition.name, (row) => (type === 'name' ? row.name : (row.cells[index] ?? '')).length),
      };
    });
  if (!hasNamespace || shown.length === 0) return shown;
  const namespace: ShownColumn = {
    name: 'Namespace',
    title: undefined,
    type: 'namespace',
    index: -1,
    width: widthOf('Namespace', ({ namespace: text }) => text.length),
  };
  const nameAt = Math.max(
    0,
    shown.findIndex(({ type }) => type === 'name'),
  );
  return [...shown.slice(0, nameAt + 1), namespace, ...shown.slice(nameAt + 1)];
}

function typeOf({ name, format }: Column, index: number): ShownColumn['type'] {
  if (format === 'name' || (index === 0 && name === 'Name')) return 'name';
  if (name === 'Age') return 'age';
  if (name === 'Ready' || name === 'Completions') return 'share';
  return STATES.test(name) ? 'state' : 'text';
}
