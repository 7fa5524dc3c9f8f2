import type { Counter, Histogram } from '../../base/index.ts';
import type { FlowFamilies } from './flow-families.ts';

/** Counts the requests of one flow schema at one priority level; series are created on first use. */
export class FlowRecorder {
  readonly level: string;
  readonly schema: string;
  waiting = 0;
  waitingSeats = 0;
  executing = 0;
  executingSeats = 0;
  readonly #families: FlowFamilies;
  readonly #labels: { readonly priority_level: string; readonly flow_schema: string };
  #dispatched: Counter | undefined;
  #queueLengths: Histogram | undefined;
  #waits: Histogram | undefined;
  #executions: Histogram | undefined;
  #estimatedSeats: Histogram | undefined;
  #watchCounts: Histogram | undefined;

  constructor(families: FlowFamilies, level: string, schema: string) {
    this.level = level;
    this.schema = schema;
    this.#families = families;
    this.#labels = { priority_level: level, flow_schema: schema };
  }

  /** Whether there ever was a request. */
  get wasUsed(): boolean {
    return this.#dispatched !== undefined || this.#queueLengths !== undefined;
  }

  get isBusy(): boolean {
    return this.waiting > 0 || this.executingSeats > 0;
  }

  get queueLengths(): Histogram {
    return (this.#queueLengths ??= this.#families.queueLengths.with(this.#labels));
  }

  get estimatedSeats(): Histogram {
    return (this.#estimatedSeats ??= this.#families.estimatedSeats.with(this.#labels));
  }

  get watchCounts(): Histogram {
    return (this.#watchCounts ??= this.#families.watchCounts.with(this.#labels));
  }

  started(seats: number): void {
    this.executing += 1;
    this.executingSeats += seats;
    (this.#dispatched ??= this.#families.dispatched.with(this.#labels)).add();
  }

  rejected(reason: string): void {
    this.#families.rejected.with({ ...this.#labels, reason }).add();
  }

  notAccommodated(): void {
    this.#families.notAccommodated.with(this.#labels).add();
  }

  waited(ms: number, isStarted: boolean): void {
    if (!isStarted) this.#families.waits.with({ ...this.#labels, execute: 'false' }).observe(ms / 1000);
    else (this.#waits ??= this.#families.waits.with({ ...this.#labels, execute: 'true' })).observe(ms / 1000);
  }

  executed(ms: number, type: 'watch' | 'regular'): void {
    if (type === 'watch') this.#families.executions.with({ ...this.#labels, type }).observe(ms / 1000);
    else (this.#executions ??= this.#families.executions.with({ ...this.#labels, type })).observe(ms / 1000);
  }
}
