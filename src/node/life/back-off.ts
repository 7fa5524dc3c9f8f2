/** How long something that failed waits, and when that was decided. */
export interface BackOff {
  readonly delayMs: number;
  readonly updatedAtMs: number;
  /** What failed, for those who are told to wait. */
  readonly cause?: string;
}

const FIRST_MS = 10_000;
const CAP_MS = 300_000;
/** What went well for so long starts from the beginning when it fails again. */
const FORGET_AFTER_MS = 600_000;

/** Until when to wait after the failure at `failedAtMs`; undefined when there is nothing to wait for. */
export function backOffUntil(
  backOff: BackOff | undefined,
  failedAtMs: number,
  nowMs: number,
): { readonly untilMs: number; readonly delayMs: number } | undefined {
  if (backOff === undefined || failedAtMs - backOff.updatedAtMs > FORGET_AFTER_MS) return undefined;
  const untilMs = failedAtMs + backOff.delayMs;
  return nowMs < untilMs ? { untilMs, delayMs: backOff.delayMs } : undefined;
}

/** The next back-off: 10 s, doubled each time up to 5 min. */
export function nextBackOff(backOff: BackOff | undefined, failedAtMs: number, nowMs: number): BackOff {
  const isFirst = backOff === undefined || failedAtMs - backOff.updatedAtMs > FORGET_AFTER_MS;
  return { delayMs: isFirst ? FIRST_MS : Math.min(backOff.delayMs * 2, CAP_MS), updatedAtMs: nowMs };
}

/** Where restarts of a container back off. */
export function crashKey(container: string): string {
  return `crash ${container}`;
}

/** Where pulls of an image back off. */
export function pullKey(image: string): string {
  return `pull ${image}`;
}
