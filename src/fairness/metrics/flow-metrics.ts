import {
  type CallbackSample,
  type Clock,
  type MetricRegistry,
  type TimeWeightedHistogram,
  timeWeightedHistogram,
} from '../../base/index.ts';
import type { PriorityLevel } from '../levels/priority-level.ts';
import { flowFamilies, type FlowFamilies } from './flow-families.ts';
import { FlowRecorder } from './flow-recorder.ts';
import { levelFamilies, type LevelFamilies } from './level-recorder.ts';

const PREFIX = 'apiserver_flowcontrol_';

/** The source of the metrics that are read at a scrape. */
export interface FlowFigures {
  readonly levels: readonly PriorityLevel[];
  readonly fairShare: number;
}

/**
 * All metrics of priority and fairness, under upstream's names. The series of deleted schemas and levels are removed,
 * or bounded.
 */
export class FlowMetrics {
  readonly levels: LevelFamilies;
  readonly #flows: FlowFamilies;
  readonly #readsAndWrites: (phase: string, kind: string) => TimeWeightedHistogram;
  #recorders = new Map<string, FlowRecorder>();

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.levels = levelFamilies(metrics, clock);
    this.#flows = flowFamilies(metrics);
    const family = timeWeightedHistogram(
      metrics,
      {
        name: `${PREFIX}read_vs_write_current_requests`,
        help: 'Nanoseconds spent at each number of reads or writes, relative to the limit.',
        labels: ['phase', 'request_kind'],
        buckets: [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      },
      clock,
    );
    this.#readsAndWrites = (phase, kind) => family.with({ phase, request_kind: kind });
  }

  /** The number of requests of one kind in one phase. */
  readsAndWrites(phase: 'waiting' | 'executing', kind: 'readOnly' | 'mutating'): TimeWeightedHistogram {
    return this.#readsAndWrites(phase, kind);
  }

  recorderOf(level: string, schema: string): FlowRecorder {
    const key = `${level}\0${schema}`;
    const known = this.#recorders.get(key) ?? new FlowRecorder(this.#flows, level, schema);
    this.#recorders.set(key, known);
    return known;
  }

  /** Drops the recorders of deleted schemas. */
  keepOnly(recorders: readonly FlowRecorder[]): void {
    const kept = new Set(recorders);
    this.#recorders = new Map([...this.#recorders].filter(([, recorder]) => kept.has(recorder) || recorder.isBusy));
  }

  /** Registers the metrics that are read at a scrape. */
  show(metrics: MetricRegistry, figures: () => FlowFigures): void {
    metrics.callback(
      { name: `${PREFIX}seat_fair_frac`, help: 'Seats that levels have, as a multiple of what they need.' },
      () => figures().fairShare,
    );
    for (const [name, help, read] of LEVEL_FIGURES) {
      metrics.callback({ name: PREFIX + name, help, labels: ['priority_level'] }, () =>
        figures().levels.map((level) => ({ labels: { priority_level: level.name }, value: read(level) })),
      );
    }
    metrics.callback(
      {
        name: `${PREFIX}next_s_bounds`,
        help: 'First and last start of a request that waited, in virtual time.',
        labels: ['priority_level', 'bound'],
      },
      () =>
        figures().levels.flatMap(({ name, queues: { lastDispatch } }) => [
          { labels: { priority_level: name, bound: 'min' }, value: lastDispatch.leastR },
          { labels: { priority_level: name, bound: 'max' }, value: lastDispatch.mostR },
        ]),
    );
    for (const [name, help, read] of FLOW_FIGURES) {
      metrics.callback({ name: PREFIX + name, help, labels: ['priority_level', 'flow_schema'] }, () =>
        this.#samples(read),
      );
    }
  }

  #samples(read: (recorder: FlowRecorder) => number): CallbackSample<'priority_level' | 'flow_schema'>[] {
    const used = [...this.#recorders.values()].filter(({ wasUsed }) => wasUsed);
    return used.map((recorder) => ({
      labels: { priority_level: recorder.level, flow_schema: recorder.schema },
      value: read(recorder),
    }));
  }
}

type LevelFigure = readonly [name: string, help: string, read: (level: PriorityLevel) => number];

const LEVEL_FIGURES: readonly LevelFigure[] = [
  ['nominal_limit_seats', 'Seats that a level is entitled to.', ({ limits }) => limits.nominal],
  ['lower_limit_seats', 'Seats that a level never lends.', ({ limits }) => limits.lower],
  ['upper_limit_seats', 'Seats of a level that borrows all it may.', ({ limits }) => limits.upper],
  ['current_limit_seats', 'Seats that a level has now.', ({ limits }) => limits.current],
  [
    'demand_seats_high_watermark',
    'Most seats needed at once.',
    ({ recorder }) => recorder.seatDemand.figures.highWatermark,
  ],
  ['demand_seats_average', 'Seats needed on average.', ({ recorder }) => recorder.seatDemand.figures.average],
  [
    'demand_seats_stdev',
    'Standard deviation of seats needed.',
    ({ recorder }) => recorder.seatDemand.figures.deviation,
  ],
  ['demand_seats_smoothed', 'Seats needed, smoothed.', ({ recorder }) => recorder.seatDemand.figures.smoothed],
  ['target_seats', 'Seats that a level should have, before bounds.', ({ targetSeats }) => targetSeats],
  ['current_r', 'Virtual time of a level.', ({ queues }) => queues.virtualTime],
  ['dispatch_r', 'Virtual time when a request last got seats.', ({ queues }) => queues.lastDispatch.virtualTime],
  ['latest_s', 'Start in virtual time of the last request that got seats.', ({ queues }) => queues.lastDispatch.startR],
];

type FlowFigure = readonly [name: string, help: string, read: (recorder: FlowRecorder) => number];

const FLOW_FIGURES: readonly FlowFigure[] = [
  ['current_inqueue_requests', 'Requests that wait in queues.', ({ waiting }) => waiting],
  ['current_inqueue_seats', 'Seats that requests in queues wait for.', ({ waitingSeats }) => waitingSeats],
  ['current_executing_requests', 'Requests that are worked on.', ({ executing }) => executing],
  ['current_executing_seats', 'Seats taken by requests.', ({ executingSeats }) => executingSeats],
];
