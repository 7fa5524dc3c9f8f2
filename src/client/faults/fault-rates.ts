/** The probability of each fault, from 0 (never) to 1 (always). */
export interface FaultRates {
  /** Per request: the connection breaks before the request reaches the server. */
  readonly drop: number;
  /** Per request: the server carries it out, but the response is lost. */
  readonly loseAnswer: number;
  /** Per request: the response is delayed. */
  readonly delay: number;
  /** Per request: rejected with 429 and a `Retry-After` header. */
  readonly tooManyRequests: number;
  /** Per request: rejected with 500. */
  readonly internalError: number;
  /** Per watch, watch event and list page after the first: the resource version is too old (410). */
  readonly expired: number;
  /** Per watch event: the connection breaks. */
  readonly cut: number;
  /** Per watch event: the watch ends normally, as if the server had closed it. */
  readonly end: number;
  /** Per watch event: the stream stays open but delivers nothing more. */
  readonly silence: number;
  /** Per watch event: the event is repeated, after the event before it. */
  readonly duplicate: number;
  /** Per watch event: the event and all events behind it are delayed. */
  readonly late: number;
}

/** All faults switched off. */
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

/** A network and a server that fail often, in every way. */
export const unreliableNetwork: FaultRates = {
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
