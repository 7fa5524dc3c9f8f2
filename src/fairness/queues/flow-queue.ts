/** The properties of a request that determine its place in a queue. */
export interface QueuedWork {
  readonly seats: number;
  readonly work: number;
  readonly arrivedR: number;
}

/** One of a level's queues. It exists while a request waits in it, executes, or still holds seats. */
export class FlowQueue<Request extends QueuedWork> {
  readonly index: number;
  /** In the order in which they came. */
  readonly waiting = new Set<Request>();
  /** Sums over the requests that wait. */
  waitingSeats = 0;
  waitingWork = 0;
  executing = 0;
  seatsInUse = 0;
  /** Virtual time at which the next request starts in the fair order. */
  nextR: number;

  constructor(index: number, nextR: number) {
    this.index = index;
    this.nextR = nextR;
  }

  get first(): Request | undefined {
    for (const request of this.waiting) return request;
    return undefined;
  }

  /** Whether the queue competes for seats; one that only holds seats of finished requests does not. */
  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing > 0;
  }

  add(request: Request): void {
    this.waiting.add(request);
    this.waitingSeats += request.seats;
    this.waitingWork += request.work;
  }

  remove(request: Request): boolean {
    if (!this.waiting.delete(request)) return false;
    this.waitingSeats -= request.seats;
    this.waitingWork = this.waiting.size === 0 ? 0 : this.waitingWork - request.work; // resets accumulated rounding errors
    return true;
  }

  /** A queue that got more than expected does not get ahead of the arrival of its first request. */
  bound(): void {
    const { first } = this;
    if (first !== undefined && this.nextR < first.arrivedR) this.nextR = first.arrivedR;
  }
}
