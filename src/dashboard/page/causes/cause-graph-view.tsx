import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { CauseGraph, CauseNode, ObjectReference } from '../../protocol.ts';
import { formatDuration, formatTime } from '../browser/ages.ts';
import { sleep } from '../browser/clock.ts';
import { Problem } from '../parts/problem.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import type { Tone } from '../parts/tone.ts';
import { useRun } from '../parts/use-run.ts';
import { linkToObject, useApp } from '../shell/app-context.ts';
import { linkTo } from '../shell/router.ts';
import {
  actorOf,
  chainOf,
  layOut,
  titleOf,
  type CauseLayout,
  type PlacedEdge,
  type PlacedNode,
} from './cause-layout.ts';

const ROW_HEIGHT = 34;
const LANE_WIDTH = 20;
const HUES = 6;
const REFRESH_MS = 2_500;

/** What to ask about: an object, a request or a change. */
export type CauseQuery = Readonly<Record<string, string | undefined>>;

/** What happened because of what, as a graph in time. */
export function CauseGraphView({ query }: { readonly query: CauseQuery }) {
  const { connection } = useApp();
  const graph = useSignal<CauseGraph | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const parameters = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  ).toString();
  useRun(
    async (signal) => {
      let text = '';
      while (!signal.aborted) {
        try {
          const next = await connection.own<CauseGraph>(`causes?${parameters}`, { signal });
          error.value = undefined;
          // the same graph again must not draw anything
          const nextText = JSON.stringify(next);
          if (nextText !== text) graph.value = next;
          text = nextText;
        } catch (cause) {
          if (!signal.aborted) error.value = cause;
        }
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, parameters, connection.generation.value],
  );
  if (error.value !== undefined && graph.value === undefined) return <Problem error={error.value} what="causes" />;
  if (graph.value === undefined) return <p class="empty">Loading…</p>;
  if (graph.value.nodes.length === 0) return <p class="empty">Nothing is known about this (any more).</p>;
  return <Graph graph={graph.value} />;
}

function Graph({ graph }: { readonly graph: CauseGraph }) {
  const layout = useMemo(() => layOut(graph), [graph]);
  const chosen = useSignal<string | undefined>(graph.focus);
  const hovered = useSignal<string | undefined>(undefined);
  const current = hovered.value ?? chosen.value;
  const chain = useMemo(() => (current === undefined ? undefined : chainOf(layout.edges, current)), [layout, current]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step =
      event.key === 'ArrowDown' || event.key === 'j' ? 1 : event.key === 'ArrowUp' || event.key === 'k' ? -1 : 0;
    if (step === 0) return;
    const index = layout.nodes.findIndex(({ node }) => node.id === chosen.value);
    const next = layout.nodes[Math.max(0, Math.min(layout.nodes.length - 1, index + step))];
    chosen.value = next?.node.id;
    document.getElementById(`cause-${next?.node.id}`)?.scrollIntoView({ block: 'nearest' });
    event.preventDefault();
  };
  const node = layout.nodes.find((placed) => placed.node.id === current)?.node;
  return (
    <div class="causes">
      <p class="toolbar hint">
        {graph.source === 'inferred'
          ? 'Inferred from owners, managers and events: this API server notes no causes. '
          : graph.edges.some(({ type }) => type === 'owns')
            ? 'Reconciles are noted from the first look at the dashboard on; earlier steps are linked by their owners. '
            : 'Requests and reconciles as the cluster noted them. '}
        {graph.isCut ? 'Some are left out: there are too many. ' : ''}
        <span class="grow">
          {layout.nodes.length} steps by {layout.lanes.length} actors in {formatDuration(spanOf(layout))}
        </span>
      </p>
      <div
        class="cause-rows"
        role="listbox"
        aria-label="Steps in order of time"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseLeave={() => (hovered.value = undefined)}
      >
        <div class="cause-space" style={{ height: `${layout.nodes.length * ROW_HEIGHT}px` }} role="presentation">
          <Lanes layout={layout} chain={chain} />
          {layout.nodes.map((placed) => (
            <CauseRow
              key={placed.node.id}
              placed={placed}
              lanes={layout.lanes.length}
              isFocus={placed.node.id === graph.focus}
              isCurrent={placed.node.id === chosen.value}
              isFaint={chain !== undefined && !chain.has(placed.node.id)}
              onHover={() => (hovered.value = placed.node.id)}
              onChoose={() => (chosen.value = placed.node.id)}
            />
          ))}
        </div>
      </div>
      <CauseDetail node={node} layout={layout} />
    </div>
  );
}

function spanOf({ nodes }: CauseLayout): number {
  const first = nodes[0]?.node.time;
  const last = nodes.at(-1)?.node;
  return first === undefined || last === undefined
    ? 0
    : Date.parse(last.time) + (last.durationMs ?? 0) - Date.parse(first);
}

function Lanes({ layout, chain }: { readonly layout: CauseLayout; readonly chain: ReadonlySet<string> | undefined }) {
  const width = layout.lanes.length * LANE_WIDTH + 16;
  return (
    <svg class="lanes" width={width} height={layout.nodes.length * ROW_HEIGHT} aria-hidden="true">
      {layout.edges.map((placed) => (
        <path
          key={`${placed.edge.from}/${placed.edge.to}/${placed.edge.type}`}
          d={curveOf(placed)}
          class={`edge ${placed.edge.type} hue-${(placed.from.lane % HUES) + 1} ${chain?.has(placed.edge.from) === true && chain.has(placed.edge.to) ? 'on' : chain === undefined ? '' : 'faint'}`}
        />
      ))}
      {layout.nodes.map(({ node, lane, row }) => (
        <g
          key={node.id}
          class={`dot hue-${(lane % HUES) + 1} ${chain === undefined || chain.has(node.id) ? '' : 'faint'}`}
          transform={`translate(${xOf(lane)} ${yOf(row)})`}
        >
          {node.type === 'reconcile' ? (
            <circle r="5" class="ring" />
          ) : node.type === 'event' ? (
            <path d="M0-5 5 4H-5z" />
          ) : (
            <rect x="-4.5" y="-4.5" width="9" height="9" rx="1.5" />
          )}
        </g>
      ))}
    </svg>
  );
}

function xOf(lane: number): number {
  return lane * LANE_WIDTH + 16;
}

function yOf(row: number): number {
  return row * ROW_HEIGHT + ROW_HEIGHT / 2;
}

function curveOf({ from, to }: PlacedEdge): string {
  const [x1, y1, x2, y2] = [xOf(from.lane), yOf(from.row), xOf(to.lane), yOf(to.row)];
  if (x1 === x2) {
    const bend = to.row - from.row > 1 ? 9 : 0;
    return `M${x1} ${y1}C${x1 + bend} ${y1 + 12} ${x1 + bend} ${y2 - 12} ${x2} ${y2}`;
  }
  const turn = Math.min(ROW_HEIGHT, y2 - y1);
  return `M${x1} ${y1}V${y2 - turn}C${x1} ${y2 - turn / 3} ${x2} ${y2 - (turn * 2) / 3} ${x2} ${y2}`;
}

interface CauseRowProps {
  readonly placed: PlacedNode;
  readonly lanes: number;
  readonly isFocus: boolean;
  readonly isCurrent: boolean;
  readonly isFaint: boolean;
  readonly onHover: () => void;
  readonly onChoose: () => void;
}

function CauseRow({ placed, lanes, isFocus, isCurrent, isFaint, onHover, onChoose }: CauseRowProps) {
  const { node, row, lane, afterMs } = placed;
  const classes = ['cause-row', isFocus && 'focus', isCurrent && 'current', isFaint && 'faint']
    .filter(Boolean)
    .join(' ');
  return (
    <div
      id={`cause-${node.id}`}
      class={classes}
      role="option"
      aria-selected={isCurrent}
      style={{ top: `${row * ROW_HEIGHT}px`, paddingInlineStart: `${lanes * LANE_WIDTH + 24}px` }}
      onMouseEnter={onHover}
      onClick={onChoose}
    >
      <span class="after">{row === 0 ? formatTime(node.time) : `+${formatDuration(afterMs)}`}</span>
      <span class={`actor hue-${(lane % HUES) + 1}`}>{actorOf(node)}</span>
      <span class="title">{titleOf(node)}</span>
      <StateMark text={outcomeOf(node)} tone={toneOfNode(node)} />
      <span class="took">{node.durationMs === undefined ? '' : formatDuration(node.durationMs)}</span>
    </div>
  );
}

function outcomeOf(node: CauseNode): string {
  switch (node.type) {
    case 'write':
      return node.code === undefined ? 'written' : String(node.code);
    case 'reconcile':
      return node.outcome ?? 'running';
    case 'event':
      return node.isWarning ? 'warning' : 'event';
  }
}

function toneOfNode(node: CauseNode): Tone {
  switch (node.type) {
    case 'write':
      return node.code !== undefined && node.code >= 400 ? (node.code === 409 ? 'busy' : 'bad') : 'plain';
    case 'reconcile':
      return node.outcome === 'failed'
        ? 'bad'
        : node.outcome === 'conflict' || node.outcome === undefined
          ? 'busy'
          : 'plain';
    case 'event':
      return node.isWarning ? 'bad' : 'plain';
  }
}

/** All that is known about the step that is pointed at; always as high, so that nothing jumps. */
function CauseDetail({ node, layout }: { readonly node: CauseNode | undefined; readonly layout: CauseLayout }) {
  if (node === undefined) return <aside class="explain">Choose a step to see what led to it and what it led to.</aside>;
  const causes = layout.edges.filter(({ edge }) => edge.to === node.id);
  const effects = layout.edges.filter(({ edge }) => edge.from === node.id);
  return (
    <aside class="explain" aria-live="polite" aria-label="The step">
      <p class="links">
        <strong>{titleOf(node)}</strong> <small>{formatTime(node.time)}</small>
        <ObjectLink node={node} />
        {node.type === 'write' && node.request !== undefined ? (
          <a href={linkTo(['requests', node.request])}>the request</a>
        ) : null}
        {node.type === 'write' && node.revision !== undefined ? (
          <a href={linkTo(['history', String(node.revision)])}>what it changed</a>
        ) : null}
      </p>
      <p class="description">
        {node.type === 'write' && node.user !== undefined ? `by ${node.user}. ` : ''}
        {node.type === 'reconcile' ? `by ${node.controller}. ` : ''}
        {node.type === 'reconcile' && node.why.length > 0 ? `because ${node.why.join('; ')}. ` : ''}
        {node.message ?? ''}
      </p>
      <p class="description">
        {causes.length === 0
          ? 'Nothing that is known led to it'
          : `Because of ${listed(causes.map(({ from }) => titleOf(from.node)))}`}
        {effects.length === 0 ? '.' : `; led to ${listed(effects.map(({ to }) => titleOf(to.node)))}.`}
      </p>
    </aside>
  );
}

const LISTED = 4;

function listed(titles: readonly string[]): string {
  const rest = titles.length - LISTED;
  return `${titles.slice(0, LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function ObjectLink({ node }: { readonly node: CauseNode }) {
  const object: ObjectReference | undefined = node.type === 'reconcile' ? undefined : node.object;
  return object === undefined ? null : (
    <a href={linkToObject(object, object)}>
      {object.resource} {object.name}
    </a>
  );
}
