/** The expected cost of a request. */
export interface WorkEstimate {
  /** Seats while it executes. */
  readonly initialSeats: number;
  /** Seats after its answer, while watchers are notified of its change. */
  readonly finalSeats: number;
  readonly finalMs: number;
}

export const ONE_SEAT: WorkEstimate = { initialSeats: 1, finalSeats: 0, finalMs: 0 };

/** Work, the unit of fair queuing: seats times seconds. */
export function seatSeconds(seats: number, ms: number): number {
  return (seats * ms) / 1000;
}
