/** How often each thing goes wrong: from 0 (never) to 1 (always). */
export interface FaultRates {
  /** Of requests: the connection breaks before they reach the server. */
  readonly drop: number;
  /** Of requests: the server does it, and the answer is lost. */
  readonly loseAnswer: number;
  /** Of requests: the answer comes late. */
  readonly delay: number;
  /** Of requests: refused with 429 and a time to come back. */
  readonly tooManyRequests: number;
  /** Of requests: refused with 500. */
  readonly internalError: number;
  /** Of watches and further pages: the server has forgotten the moment (410), at once or in the middle. */
  readonly expired: number;
  /** Of the events of a watch: the connection breaks. */
  readonly cut: number;
  /** Of the events of a watch: the watch ends, as if the server had ended it. */
  readonly end: number;
  /** Of the events of a watch: nothing comes any more, and nobody says so. */
  readonly silence: number;
  /** Of the events of a watch: the event comes once more, at once or after others. */
  readonly duplicate: number;
  /** Of the events of a watch: it comes late, and so do those behind it. */
  readonly late: number;
}

export const noFaults: FaultRates = {
  drop: 0,
  loseAnswer: 0,
  delay: 0,
  tooManyRequests: 0,
  internalError: 0,
  expired: 0,
  cut: 0,
  end: 0,
  silence: 0,
  duplicate: 0,
  late: 0,
};

/** A network and a server on a very bad day. */
export const badDay: FaultRates = {
  drop: 0.1,
  loseAnswer: 0.05,
  delay: 0.2,
  tooManyRequests: 0.1,
  internalError: 0.1,
  expired: 0.05,
  cut: 0.02,
  end: 0.02,
  silence: 0.005,
  duplicate: 0.05,
  late: 0.05,
};
