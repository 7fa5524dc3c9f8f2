import type { Answer, Call, PathHandler } from '../../apiserver/index.ts';
import { formatGoDuration } from '../../base/index.ts';
import type { FlowControl } from '../flow-control.ts';
import type { PriorityLevel } from '../levels/priority-level.ts';
import type { FlowQueue } from '../queues/flow-queue.ts';
import type { Ticket } from '../queues/ticket.ts';

const ROOT = '/debug/api_priority_and_fairness/';
/** Max rows; more would be of no use and take the server long to write. */
const MAX_ROWS = 50_000;

/** Converts the process's monotonic time to times of day. */
export interface DumpClock {
  now(): number;
  monotonic(): number;
}

/** Shows levels, queues and requests as they are, in kube-apiserver's form. */
export class FlowDumpPaths implements PathHandler {
  readonly #control: FlowControl;
  readonly #clock: DumpClock;

  constructor(control: FlowControl, clock: DumpClock) {
    this.#control = control;
    this.#clock = clock;
  }

  handle(call: Call): Answer | undefined {
    if (!call.request.path.startsWith(ROOT)) return undefined;
    const rows = this.#rows(call);
    if (rows === undefined) return undefined;
    return { type: 'bytes', code: 200, contentType: 'text/plain; charset=utf-8', body: alignedRows(rows) };
  }

  #rows(call: Call): string[][] | undefined {
    switch (call.request.path.slice(ROOT.length)) {
      case 'dump_priority_levels':
        return [LEVEL_HEADS, ...this.#control.levels.map(levelRow)];
      case 'dump_queues':
        return [QUEUE_HEADS, ...bounded(this.#control.levels, queueRows)];
      case 'dump_requests':
        return this.#requests(call.request.query.get('includeRequestDetails') !== '');
      default:
        return undefined;
    }
  }

  #requests(hasDetails: boolean): string[][] {
    const heads = hasDetails ? [...REQUEST_HEADS, ...DETAIL_HEADS] : REQUEST_HEADS;
    const timeOf = (monotonic: number | undefined): string => {
      if (monotonic === undefined) return '0001-01-01T00:00:00Z';
      return new Date(this.#clock.now() - this.#clock.monotonic() + monotonic).toISOString();
    };
    const row = (level: PriorityLevel, ticket: Ticket, place: number): string[] => {
      const { estimate, recorder, distinguisher, queue, arrivedAt, startedAt } = ticket;
      const { initialSeats, finalSeats, finalMs } = estimate;
      return [
        level.name,
        recorder.schema,
        String(queue?.index ?? -1),
        String(place),
        distinguisher,
        timeOf(arrivedAt),
        String(initialSeats),
        String(finalSeats),
        formatGoDuration(BigInt(Math.round(finalMs * 1e6))),
        timeOf(startedAt),
        ...(hasDetails ? detailsOf(ticket) : []),
      ];
    };
    return [heads, ...bounded(this.#control.levels, (level) => requestRows(level, row))];
  }
}

const LEVEL_HEADS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

function levelRow({ name, queues, isQuiescing }: PriorityLevel): string[] {
  const { waiting, executing, dispatched, rejected, cancelled } = queues.counts;
  const active = [...queues.queues].filter((queue) => queue.waiting.size > 0).length;
  const timedOut = 0; // kube-apiserver counts timed-out requests as cancelled
  const figures = [waiting, executing, dispatched, rejected, timedOut, cancelled];
  return [name, String(active), String(queues.isIdle), String(isQuiescing), ...figures.map(String)];
}

const QUEUE_HEADS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function* queueRows({ name, mode, queues }: PriorityLevel): Generator<string[]> {
  if (mode.type !== 'queue') return;
  const used = new Map([...queues.queues].map((queue) => [queue.index, queue]));
  for (let index = 0; index < mode.queues; index++) yield queueRow(name, index, used.get(index));
  for (const queue of used.values()) if (queue.index >= mode.queues) yield queueRow(name, queue.index, queue);
}

function queueRow(level: string, index: number, queue: FlowQueue<Ticket> | undefined): string[] {
  const initialSeats = [...(queue?.waiting ?? [])].reduce((sum, { estimate }) => sum + estimate.initialSeats, 0);
  return [
    level,
    String(index),
    String(queue?.waiting.size ?? 0),
    String(queue?.executing ?? 0),
    String(queue?.seatsInUse ?? 0),
    seatSecondsText(queue?.nextR ?? 0),
    String(initialSeats),
    String(queue?.waitingSeats ?? 0),
    seatSecondsText(queue?.waitingWork ?? 0),
  ];
}

function seatSecondsText(value: number): string {
  return `${value.toFixed(8)}ss`;
}

const REQUEST_HEADS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const DETAIL_HEADS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function detailsOf({
  call: {
    principal: { user },
    info,
  },
}: Ticket): string[] {
  const { verb, path, namespace, name, group, version, resource, subresource } = info;
  return [
    user.name,
    verb,
    path,
    namespace,
    name,
    group === '' ? version : `${group}/${version}`,
    resource,
    subresource,
  ];
}

/** Waiting requests by their place in the queue, then executing ones, which have none. */
function* requestRows(
  level: PriorityLevel,
  row: (level: PriorityLevel, ticket: Ticket, place: number) => string[],
): Generator<string[]> {
  for (const { waiting } of level.queues.queues) {
    let place = 0;
    for (const ticket of waiting) yield row(level, ticket, place++);
  }
  for (const ticket of level.queues.executing) yield row(level, ticket, -1);
}

function bounded(levels: readonly PriorityLevel[], rowsOf: (level: PriorityLevel) => Iterable<string[]>): string[][] {
  const rows: string[][] = [];
  for (const level of levels) {
    for (const row of rowsOf(level)) {
      if (rows.length >= MAX_ROWS) return rows;
      rows.push(row);
    }
  }
  return rows;
}

/** Rows as kube-apiserver writes them: cells end with a comma, columns are as wide as their widest cell and at least eight characters. */
function alignedRows(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? MIN_WIDTH, cell.length + 2);
    });
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : `${cell},`.padEnd(widths[column] ?? 0))).join('');
  return rows.map((row) => `${line(row)}\n`).join('');
}

const MIN_WIDTH = 8;
