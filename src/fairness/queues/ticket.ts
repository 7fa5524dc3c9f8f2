import type { Call } from '../../apiserver/index.ts';
import { seatSeconds, type WorkEstimate } from '../estimates/work-estimate.ts';
import type { FlowRecorder } from '../metrics/flow-recorder.ts';
import type { FlowQueue } from './flow-queue.ts';

/** How long a request is expected to execute before anything is known about it. */
export const EXPECTED_SERVICE_MS = 3;

/** One request on its way through its priority level. */
export class Ticket {
  readonly call: Call;
  /** Distinguishes its flow from others of the same schema; empty when nothing does. */
  readonly distinguisher: string;
  readonly recorder: FlowRecorder;
  /** In milliseconds of the clock's monotonic time. */
  readonly arrivedAt: number;
  /** Undefined until it has seats. */
  startedAt: number | undefined;
  /** Virtual time of the level when the request came. */
  readonly arrivedR: number;
  /** Seat-seconds that the request is expected to cost. */
  readonly work: number;
  estimate: WorkEstimate;
  /** Seats that it takes from its start until its work is over: the larger of its initial and its final seats. */
  seats: number;
  /** Absent for a request that did not go through a queue. */
  queue: FlowQueue<Ticket> | undefined;
  /** Reports the outcome to a request that waits. */
  decide: ((isStarted: boolean) => void) | undefined;

  constructor(request: TicketRequest, arrivedAt: number, arrivedR: number) {
    this.call = request.call;
    this.distinguisher = request.distinguisher;
    this.recorder = request.recorder;
    this.estimate = request.estimate;
    this.arrivedAt = arrivedAt;
    this.arrivedR = arrivedR;
    const { initialSeats, finalSeats, finalMs } = request.estimate;
    this.seats = Math.max(initialSeats, finalSeats);
    this.work = seatSeconds(initialSeats, EXPECTED_SERVICE_MS) + seatSeconds(finalSeats, finalMs);
  }

  /** More final seats than the level has become fewer for longer. */
  narrowTo(limit: number): void {
    const { initialSeats, finalSeats, finalMs } = this.estimate;
    if (finalSeats <= limit || limit <= 0) return;
    this.estimate = { initialSeats, finalSeats: limit, finalMs: (finalMs * finalSeats) / limit };
    this.seats = Math.max(initialSeats, limit);
  }
}

/** What a level is asked to let through. */
export interface TicketRequest {
  readonly call: Call;
  readonly estimate: WorkEstimate;
  readonly distinguisher: string;
  readonly recorder: FlowRecorder;
}
