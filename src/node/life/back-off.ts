/** A delay after a failure, and when it was decided. */
export interface BackOff {
  readonly delayMs: number;
  readonly updatedAtMs: number;
  /** The error of the failed pull, for messages. */
  readonly cause?: string;
}

const FIRST_MS = 10_000;
const CAP_MS = 300_000;
/** A success of this duration resets the back-off. */
const FORGET_AFTER_MS = 600_000;

/** When the delay after the failure at `failedAtMs` ends; undefined when it has ended. */
export function backOffUntil(
  backOff: BackOff | undefined,
  failedAtMs: number,
  nowMs: number,
): { readonly untilMs: number; readonly delayMs: number } | undefined {
  if (backOff === undefined || failedAtMs - backOff.updatedAtMs > FORGET_AFTER_MS) return undefined;
  const untilMs = failedAtMs + backOff.delayMs;
  return nowMs < untilMs ? { untilMs, delayMs: backOff.delayMs } : undefined;
}

/** The next back-off: 10 s, doubled each time up to `maxMs`, by default 5 min. */
export function nextBackOff(
  backOff: BackOff | undefined,
  {
    failedAtMs,
    nowMs,
    maxMs = CAP_MS,
  }: { readonly failedAtMs: number; readonly nowMs: number; readonly maxMs?: number },
): BackOff {
  const isFirst = backOff === undefined || failedAtMs - backOff.updatedAtMs > FORGET_AFTER_MS;
  return { delayMs: Math.min(isFirst ? FIRST_MS : backOff.delayMs * 2, maxMs), updatedAtMs: nowMs };
}

/** Key of the back-off for restarts of a container. */
export function crashKey(container: string): string {
  return `crash ${container}`;
}

/** Key of the back-off for pulls of an image. */
export function pullKey(image: string): string {
  return `pull ${image}`;
}
