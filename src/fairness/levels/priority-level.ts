import type { PriorityLevelConfiguration } from '../../api/types/flowcontrol/v1.d.ts';
import type { Clock } from '../../base/index.ts';
import { type LevelFamilies, LevelRecorder } from '../metrics/level-recorder.ts';
import type { LevelMode } from '../queues/level-mode.ts';
import { LevelQueues } from '../queues/level-queues.ts';
import { RetryAfter } from './retry-after.ts';

/**
 * Seats of a level: its nominal share, what it never lends, its max including what it may borrow, and its current
 * number.
 */
export interface SeatLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  readonly current: number;
}

/** Max part of a level that a single request may occupy. */
const MAX_SHARE_OF_LEVEL = 0.15;

/** One priority level with its requests. It outlives its object until they are done. */
export class PriorityLevel {
  readonly name: string;
  readonly recorder: LevelRecorder;
  readonly queues: LevelQueues;
  readonly retryAfter: RetryAfter;
  configuration: PriorityLevelConfiguration;
  mode: LevelMode;
  /** Its object was deleted: it accepts no more requests and ends with the last one. */
  isQuiescing = false;
  /** The number of seats it wanted when seats were last shared. */
  targetSeats = 0;
  #limits: SeatLimits = { nominal: 0, lower: 0, upper: 0, current: 0 };
  #isNew = true;

  constructor(
    configuration: PriorityLevelConfiguration,
    mode: LevelMode,
    { families, clock }: { readonly families: LevelFamilies; readonly clock: Clock },
  ) {
    this.name = configuration.metadata?.name ?? '';
    this.configuration = configuration;
    this.mode = mode;
    this.recorder = new LevelRecorder(families, this.name, clock);
    this.queues = new LevelQueues(mode, clock, this.recorder);
    this.retryAfter = new RetryAfter(clock);
  }

  get limits(): SeatLimits {
    return this.#limits;
  }

  get isExempt(): boolean {
    return this.mode.type === 'exempt';
  }

  get shares(): number {
    const { limited, exempt } = this.configuration.spec ?? {};
    return (limited ?? exempt)?.nominalConcurrencyShares ?? 0;
  }

  /** Max seats that one request is estimated at; 0 when the level sets no limit. */
  get maxSeats(): number {
    if (this.mode.type !== 'queue') return 0;
    const { nominal } = this.#limits;
    const part = Math.min(Math.ceil(nominal * MAX_SHARE_OF_LEVEL), Math.floor(nominal / this.mode.handSize));
    return Math.max(1, part);
  }

  /**
   * Sets its part of the server's seats, by all levels' shares. Rounded up, so the parts may add up to a little more.
   */
  entitle(serverSeats: number, allShares: number): void {
    const { limited, exempt } = this.configuration.spec ?? {};
    const nominal = allShares === 0 ? 0 : Math.ceil((serverSeats * this.shares) / allShares);
    const lendable = Math.round((nominal * ((limited ?? exempt)?.lendablePercent ?? 0)) / 100);
    const percent = limited?.borrowingLimitPercent;
    const borrowed = percent === undefined ? serverSeats : Math.round((nominal * percent) / 100);
    const current = this.#isNew ? nominal - Math.trunc(lendable / 2) : this.#limits.current;
    this.#isNew = false;
    this.#limits = { nominal, lower: nominal - lendable, upper: nominal + borrowed, current };
  }

  /** The min seats it should have now: its recent need, up to its nominal share. */
  get least(): number {
    const { lower, nominal } = this.#limits;
    const { highWatermark } = this.recorder.seatDemand.figures;
    return Math.max(lower, this.isExempt ? highWatermark : Math.min(nominal, highWatermark));
  }

  /** Sets its current number of seats. */
  give(seats: number, serverSeats: number): void {
    this.#limits = { ...this.#limits, current: seats };
    const { type, queues, queueLengthLimit } = this.mode;
    this.recorder.relateTo({
      limit: seats > 0 ? seats : Math.round(serverSeats / 10),
      queueCapacity: type === 'queue' ? queues * queueLengthLimit : 1,
    });
    this.queues.configure(this.mode, seats);
  }
}
