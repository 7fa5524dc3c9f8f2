import { createHash } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import type { ImageReviewSpec, ImageReviewStatus } from './image-review.ts';

const MAX_VERDICTS = 1024;

interface Verdict {
  readonly status: ImageReviewStatus;
  readonly endsMs: number;
}

/** The webhook's recent answers; the least recently used are dropped when there are too many. */
export class RecentVerdicts {
  readonly #clock: Clock;
  readonly #verdicts = new Map<string, Verdict>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(spec: ImageReviewSpec): ImageReviewStatus | undefined {
    const key = keyOf(spec);
    const found = this.#verdicts.get(key);
    if (found === undefined) return undefined;
    this.#verdicts.delete(key);
    if (found.endsMs <= this.#clock.monotonic()) return undefined;
    this.#verdicts.set(key, found);
    return found.status;
  }

  add(spec: ImageReviewSpec, status: ImageReviewStatus, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#verdicts.set(keyOf(spec), { status, endsMs: this.#clock.monotonic() + ttlMs });
    for (const oldest of this.#verdicts.keys()) {
      if (this.#verdicts.size <= MAX_VERDICTS) return;
      this.#verdicts.delete(oldest);
    }
  }
}

/** Short, however many images there are. */
function keyOf(spec: ImageReviewSpec): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('base64');
}
