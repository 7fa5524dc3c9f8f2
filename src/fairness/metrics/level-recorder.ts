import {
  type Clock,
  type MetricRegistry,
  type TimeWeightedHistogram,
  timeWeightedHistogram,
} from '../../base/index.ts';
import { SeatDemand } from '../levels/seat-demand.ts';

const PREFIX = 'apiserver_flowcontrol_';

export type LevelFamilies = ReturnType<typeof levelFamilies>;

/** Histograms of how much of a level was in use for how long. */
// oxlint-disable-next-line explicit-function-return-type -- what the families are is said right here
export function levelFamilies(metrics: MetricRegistry, clock: Clock) {
  return {
    seatUse: timeWeightedHistogram(
      metrics,
      {
        name: `${PREFIX}priority_level_seat_utilization`,
        help: 'Nanoseconds for which such a part of the seats was taken.',
        labels: ['phase', 'priority_level'],
        buckets: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      },
      clock,
    ),
    requestUse: timeWeightedHistogram(
      metrics,
      {
        name: `${PREFIX}priority_level_request_utilization`,
        help: 'Nanoseconds spent at each number of requests, relative to the limit.',
        labels: ['phase', 'priority_level'],
        buckets: [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
      },
      clock,
    ),
    demand: timeWeightedHistogram(
      metrics,
      {
        name: `${PREFIX}demand_seats`,
        help: 'Nanoseconds spent at each seat demand, relative to the limit.',
        labels: ['priority_level'],
        buckets: [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
      },
      clock,
    ),
  };
}

/** Follows how much of one level is in use. */
export class LevelRecorder {
  readonly seatDemand: SeatDemand;
  readonly #seatUse: TimeWeightedHistogram;
  readonly #executing: TimeWeightedHistogram;
  readonly #waiting: TimeWeightedHistogram;
  readonly #demand: TimeWeightedHistogram;
  #limit = 1;
  #queueCapacity = 1;

  constructor(families: LevelFamilies, level: string, clock: Clock) {
    const labels = { priority_level: level };
    this.#seatUse = families.seatUse.with({ ...labels, phase: 'executing' });
    this.#executing = families.requestUse.with({ ...labels, phase: 'executing' });
    this.#waiting = families.requestUse.with({ ...labels, phase: 'waiting' });
    this.#demand = families.demand.with(labels);
    this.seatDemand = new SeatDemand(clock);
  }

  /** Sets the limits that the following figures are relative to. */
  relateTo({ limit, queueCapacity }: { readonly limit: number; readonly queueCapacity: number }): void {
    this.#limit = Math.max(1, limit);
    this.#queueCapacity = Math.max(1, queueCapacity);
  }

  executing(requests: number, now: number): void {
    this.#executing.set(requests / this.#limit, now);
  }

  waiting(requests: number, now: number): void {
    this.#waiting.set(requests / this.#queueCapacity, now);
  }

  seats(inUse: number, now: number): void {
    this.#seatUse.set(inUse / this.#limit, now);
  }

  demand(seats: number, now: number): void {
    this.seatDemand.set(seats, now);
    this.#demand.set(seats / this.#limit, now);
  }
}
