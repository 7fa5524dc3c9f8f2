/** What a request is expected to cost. */
export interface WorkEstimate {
  /** Seats while it is worked on. */
  readonly initialSeats: number;
  /** Seats after its answer, while others are told what it changed. */
  readonly finalSeats: number;
  readonly finalMs: number;
}

export const ONE_SEAT: WorkEstimate = { initialSeats: 1, finalSeats: 0, finalMs: 0 };

/** Work, the unit of fair queuing: so many seats for so long. */
export function seatSeconds(seats: number, ms: number): number {
  return (seats * ms) / 1000;
}
