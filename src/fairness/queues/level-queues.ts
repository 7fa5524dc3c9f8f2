import type { Clock } from '../../base/index.ts';
import { seatSeconds } from '../estimates/work-estimate.ts';
import type { LevelRecorder } from '../metrics/level-recorder.ts';
import { FlowQueue } from './flow-queue.ts';
import type { DispatchFigures, LevelCounts, Refusal } from './level-figures.ts';
import type { LevelMode } from './level-mode.ts';
import { Hands } from './shuffle-shard.ts';
import { EXPECTED_SERVICE_MS, Ticket, type TicketRequest } from './ticket.ts';

/**
 * The requests of one priority level: executing ones have seats, the others wait in the queues of their flows.
 *
 * Seats are shared fairly among waiting flows: virtual time R advances at the rate at which every busy queue gets its
 * part of the seats, and the next request is the one that would finish first if all queues had been served side by side
 * (KEP-1040). The cost of a request that need not wait does not depend on the number of queues.
 */
export class LevelQueues {
  readonly #clock: Clock;
  readonly #recorder: LevelRecorder;
  #mode: LevelMode;
  #hands: Hands;
  #limit = 0;
  /** Keyed by index; queues that have neither requests nor seats are absent. */
  readonly #queues = new Map<number, FlowQueue<Ticket>>();
  readonly #backlogged = new Set<FlowQueue<Ticket>>();
  readonly #executing = new Set<Ticket>();
  #activeQueues = 0;
  #waiting = 0;
  #waitingSeats = 0;
  #seatsInUse = 0;
  /** The part of them that was assigned to queued requests. */
  #queuedSeats = 0;
  #virtualTime = 0;
  #syncedAt: number;
  #lastDispatched = 0;
  #turn = 0;
  readonly #last: DispatchFigures = { virtualTime: 0, startR: 0, leastR: 0, mostR: 0 };
  readonly #totals = { dispatched: 0, rejected: 0, cancelled: 0 };

  constructor(mode: LevelMode, clock: Clock, recorder: LevelRecorder) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#syncedAt = clock.monotonic();
    this.#mode = mode;
    this.#hands = new Hands(mode.queues, mode.handSize);
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing.size === 0;
  }

  get counts(): LevelCounts {
    return { waiting: this.#waiting, executing: this.#executing.size, ...this.#totals };
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get virtualTime(): number {
    return this.#virtualTime;
  }

  /** When a queued request last got seats, in virtual time. */
  get lastDispatch(): Readonly<DispatchFigures> {
    return this.#last;
  }

  /** Queues that are in use. */
  get queues(): Iterable<FlowQueue<Ticket>> {
    return this.#queues.values();
  }

  get executing(): Iterable<Ticket> {
    return this.#executing;
  }

  /**
   * Takes effect at once: waiting requests that now fit are started. Requests stay in queues that are no longer dealt.
   */
  configure(mode: LevelMode, limit: number): void {
    this.#sync();
    if (mode.queues !== this.#mode.queues || mode.handSize !== this.#mode.handSize)
      this.#hands = new Hands(mode.queues, mode.handSize);
    this.#mode = mode;
    this.#limit = limit;
    this.#dispatch();
  }

  /**
   * The request's ticket, or why it is refused. A request whose ticket has no `startedAt` yet waits, and `decide` will
   * be called.
   */
  start(request: TicketRequest): Ticket | Refusal {
    this.#sync();
    const ticket = new Ticket(request, this.#syncedAt, this.#virtualTime);
    const mode = this.#mode;
    const isUnlimited = mode.type === 'exempt' && request.call.request.takesObjects; // others wait for the server's own calls
    if (mode.type !== 'queue' && (isUnlimited || (this.#waiting === 0 && this.#fits(ticket)))) {
      this.#run(ticket);
      return ticket;
    }
    if (mode.type === 'reject') return this.#refuse(request, 'concurrency-limit');
    const queue = this.#choose(request);
    if (this.#seatsInUse >= this.#limitNow && queue.waiting.size >= mode.queueLengthLimit)
      return this.#refuse(request, 'queue-full');
    this.#queues.set(queue.index, queue);
    if (!queue.isActive) queue.nextR = this.#virtualTime;
    ticket.queue = queue;
    request.recorder.queueLengths.observe(queue.waiting.size + 1);
    if (this.#waiting === 0 && this.#fits(ticket)) {
      [this.#last.leastR, this.#last.mostR] = [queue.nextR, queue.nextR];
      this.#run(ticket);
      return ticket;
    }
    this.#enqueue(ticket, queue);
    this.#dispatch();
    return ticket;
  }

  /**
   * Removes a request that no longer waits, because it timed out or its client disconnected; false if it has been
   * started.
   */
  cancel(ticket: Ticket): boolean {
    this.#sync();
    if (!this.#dequeue(ticket)) return false;
    this.#totals.rejected += 1;
    this.#totals.cancelled += 1;
    ticket.recorder.rejected('time-out');
    this.#forgetIfUnused(ticket.queue);
    this.#dispatch();
    return true;
  }

  /**
   * Ends a request that was answered; returns how many milliseconds it took. Its seats become free at once, or when
   * watchers have been notified of its change.
   */
  finish(ticket: Ticket): number {
    this.#sync();
    this.#executing.delete(ticket);
    ticket.recorder.executing -= 1;
    this.#recorder.executing(this.#executing.size, this.#syncedAt);
    const { queue, estimate } = ticket;
    const servedMs = this.#syncedAt - (ticket.startedAt ?? this.#syncedAt);
    if (queue !== undefined) {
      const wasActive = queue.isActive;
      queue.executing -= 1;
      this.#noteActivity(queue, wasActive);
      queue.nextR += seatSeconds(estimate.initialSeats, servedMs - EXPECTED_SERVICE_MS);
      queue.bound();
    }
    if (estimate.finalMs <= 0) this.#release(ticket);
    else this.#clock.timer(estimate.finalMs, () => this.#releaseLater(ticket));
    this.#dispatch();
    return servedMs;
  }

  get #limitNow(): number {
    return this.#mode.type === 'exempt' ? this.#mode.ceiling : this.#limit;
  }

  /** Advances virtual time by what each busy queue got, or could have got, since the last change. */
  #sync(): void {
    const now = this.#clock.monotonic();
    if (this.#activeQueues > 0) {
      const seats = Math.min(this.#queuedSeats + this.#waitingSeats, this.#limitNow);
      this.#virtualTime += seatSeconds(seats, now - this.#syncedAt) / this.#activeQueues;
    }
    this.#syncedAt = now;
  }

  #fits({ seats }: Ticket): boolean {
    const limit = this.#limitNow;
    return seats > limit ? this.#executing.size === 0 : this.#seatsInUse + seats <= limit;
  }

  #refuse({ recorder }: TicketRequest, reason: Refusal): Refusal {
    this.#totals.rejected += 1;
    recorder.rejected(reason);
    return reason;
  }

  /** The queue of the flow's hand with the least waiting work; ties are broken in turn. */
  #choose({ recorder, distinguisher }: TicketRequest): FlowQueue<Ticket> {
    const hand = this.#hands.of(recorder.schema, distinguisher);
    let best: FlowQueue<Ticket> | undefined;
    this.#turn = (this.#turn + 1) % hand.length;
    for (let offset = 0; offset < hand.length; offset++) {
      const index = hand[(this.#turn + offset) % hand.length] ?? 0;
      const queue = this.#queues.get(index) ?? new FlowQueue<Ticket>(index, this.#virtualTime);
      if (queue.waiting.size === 0) return queue;
      if (best === undefined || queue.waitingWork < best.waitingWork) best = queue;
    }
    return best ?? new FlowQueue<Ticket>(0, this.#virtualTime);
  }

  #enqueue(ticket: Ticket, queue: FlowQueue<Ticket>): void {
    const wasActive = queue.isActive;
    queue.add(ticket);
    this.#noteActivity(queue, wasActive);
    this.#backlogged.add(queue);
    this.#waiting += 1;
    this.#waitingSeats += ticket.seats;
    ticket.recorder.waiting += 1;
    ticket.recorder.waitingSeats += ticket.seats;
    queue.bound();
    this.#recorder.waiting(this.#waiting, this.#syncedAt);
    this.#recorder.demand(this.#seatsInUse + this.#waitingSeats, this.#syncedAt);
  }

  #dequeue(ticket: Ticket): boolean {
    const { queue } = ticket;
    if (queue === undefined || !queue.remove(ticket)) return false;
    this.#noteActivity(queue, true);
    if (queue.waiting.size === 0) this.#backlogged.delete(queue);
    this.#waiting -= 1;
    this.#waitingSeats -= ticket.seats;
    ticket.recorder.waiting -= 1;
    ticket.recorder.waitingSeats -= ticket.seats;
    queue.bound();
    this.#recorder.waiting(this.#waiting, this.#syncedAt);
    this.#recorder.demand(this.#seatsInUse + this.#waitingSeats, this.#syncedAt);
    return true;
  }

  #dispatch(): void {
    while (this.#waiting > 0 && this.#seatsInUse < this.#limitNow) {
      const queue = this.#nextQueue();
      const ticket = queue?.first;
      if (queue === undefined || ticket === undefined) return;
      if (!this.#fits(ticket)) {
        ticket.recorder.notAccommodated();
        return;
      }
      this.#dequeue(ticket);
      this.#lastDispatched = queue.index;
      this.#run(ticket);
      ticket.decide?.(true);
    }
  }

  /** The queue whose first request would finish first; of several the one that follows the last. */
  #nextQueue(): FlowQueue<Ticket> | undefined {
    let best: FlowQueue<Ticket> | undefined;
    let [bestR, bestDistance] = [Infinity, Infinity];
    [this.#last.leastR, this.#last.mostR] = [Infinity, 0];
    for (const queue of this.#backlogged) {
      this.#last.leastR = Math.min(this.#last.leastR, queue.nextR);
      this.#last.mostR = Math.max(this.#last.mostR, queue.nextR);
      const doneR = queue.nextR + (queue.first?.work ?? 0);
      if (doneR > bestR) continue;
      const behind = queue.index - this.#lastDispatched;
      const distance = behind > 0 ? behind : behind + Number.MAX_SAFE_INTEGER;
      if (doneR === bestR && distance >= bestDistance) continue;
      [best, bestR, bestDistance] = [queue, doneR, distance];
    }
    return best;
  }

  #run(ticket: Ticket): void {
    const { queue, recorder } = ticket;
    ticket.narrowTo(this.#limitNow);
    ticket.startedAt = this.#syncedAt;
    this.#executing.add(ticket);
    this.#seatsInUse += ticket.seats;
    this.#totals.dispatched += 1;
    recorder.started(ticket.seats);
    if (queue !== undefined) {
      const wasActive = queue.isActive;
      queue.executing += 1;
      this.#noteActivity(queue, wasActive);
      queue.seatsInUse += ticket.seats;
      this.#queuedSeats += ticket.seats;
      this.#last.virtualTime = this.#virtualTime;
      this.#last.startR = queue.nextR;
      queue.nextR += ticket.work;
    }
    this.#recorder.executing(this.#executing.size, this.#syncedAt);
    this.#recorder.seats(this.#seatsInUse, this.#syncedAt);
    this.#recorder.demand(this.#seatsInUse + this.#waitingSeats, this.#syncedAt);
  }

  #releaseLater(ticket: Ticket): void {
    this.#sync();
    this.#release(ticket);
    this.#dispatch();
  }

  #release({ queue, seats, recorder }: Ticket): void {
    this.#seatsInUse -= seats;
    recorder.executingSeats -= seats;
    if (queue !== undefined) {
      queue.seatsInUse -= seats;
      this.#queuedSeats -= seats;
      this.#forgetIfUnused(queue);
    }
    this.#recorder.seats(this.#seatsInUse, this.#syncedAt);
    this.#recorder.demand(this.#seatsInUse + this.#waitingSeats, this.#syncedAt);
  }

  #forgetIfUnused(queue: FlowQueue<Ticket> | undefined): void {
    if (queue !== undefined && !queue.isActive && queue.seatsInUse === 0) this.#queues.delete(queue.index);
  }

  #noteActivity(queue: FlowQueue<Ticket>, wasActive: boolean): void {
    if (queue.isActive !== wasActive) this.#activeQueues += wasActive ? -1 : 1;
  }
}
