import type { PriorityLevelConfiguration } from '../../api/types/flowcontrol/v1.d.ts';
import type { Clock } from '../../base/index.ts';
import { type LevelFamilies, LevelRecorder } from '../metrics/level-recorder.ts';
import type { LevelMode } from '../queues/level-mode.ts';
import { LevelQueues } from '../queues/level-queues.ts';
import { RetryAfter } from './retry-after.ts';

/** Seats of a level: what it is entitled to, what it never lends, what it has with all that it may borrow, and what it has now. */
export interface SeatLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  readonly current: number;
}

/** No single request gets more of a level than this. */
const MOST_OF_A_LEVEL = 0.15;

/** One level of priority with its requests. It outlives its object until they are done. */
export class PriorityLevel {
  readonly name: string;
  readonly recorder: LevelRecorder;
  readonly queues: LevelQueues;
  readonly retryAfter: RetryAfter;
  configuration: PriorityLevelConfiguration;
  mode: LevelMode;
  /** Its object is gone: no more requests come, and it ends when the last one is done. */
  isQuiescing = false;
  /** What it wanted to have when seats were last shared. */
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

  /** The most seats that one request is estimated at; 0 when the level sets no bound. */
  get maxSeats(): number {
    if (this.mode.type !== 'queue') return 0;
    const { nominal } = this.#limits;
    const part = Math.min(Math.ceil(nominal * MOST_OF_A_LEVEL), Math.floor(nominal / this.mode.handSize));
    return Math.max(1, part);
  }

  /** Its part of the server's seats, by all levels' shares. Rounded up, so that the parts of all may be a little more. */
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

  /** The least that it should have now: what it needed lately, unless that is more than it is entitled to. */
  get least(): number {
    const { lower, nominal } = this.#limits;
    const { highWatermark } = this.recorder.seatDemand.figures;
    return Math.max(lower, this.isExempt ? highWatermark : Math.min(nominal, highWatermark));
  }

  /** Lets it have so many seats from now on. */
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
