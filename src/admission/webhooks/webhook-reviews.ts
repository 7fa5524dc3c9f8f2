import type { WebhookAnswer } from '../../apiserver/index.ts';
import { type Clock, messageOf } from '../../base/index.ts';
import type { HookType } from './hook.ts';

/** What a webhook is asked. */
export interface AskedReview {
  readonly type: HookType;
  readonly configuration: string;
  readonly webhook: string;
  /** Whether the request is for objects that carry secrets. */
  readonly isConfidential: boolean;
  /** The AdmissionReview as it is sent: JSON. */
  readonly request: string;
}

/** One review sent to a webhook, and its answer. */
export interface KeptReview {
  /** A counter; the first of a server is `1`. */
  readonly id: string;
  readonly time: string;
  readonly type: HookType;
  readonly configuration: string;
  readonly webhook: string;
  readonly durationMs: number;
  /** The AdmissionReview that was sent; absent where objects carry secrets, or where it was too long. */
  readonly request?: string;
  /** The HTTP status; absent when no answer came. */
  readonly code?: number;
  /** The body of the answer, as far as it is kept. */
  readonly response?: string;
  /** Why there was no answer, or no usable one. */
  readonly error?: string;
  /** The review that this one replays. */
  readonly replayOf?: string;
}

const MAX_REVIEWS = 100;
/** Max length of a request or an answer; a review with longer ones is kept without them. */
const MAX_TEXT = 128 * 1024;

/** The last reviews sent to webhooks, oldest first: for webhook authors. */
export class WebhookReviews {
  readonly #clock: Clock;
  readonly #kept: KeptReview[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  list(): readonly KeptReview[] {
    return this.#kept;
  }

  find(id: string): KeptReview | undefined {
    return this.#kept.find((review) => review.id === id);
  }

  /** Records a review with the outcome of `post`, which is returned. */
  async keep(asked: AskedReview, post: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    const end = this.#begin(asked);
    try {
      const answer = await post();
      end(outcomeOf(answer, asked));
      return answer;
    } catch (error) {
      end(failureOf(error));
      throw error;
    }
  }

  /** Sends a recorded review again; the result is recorded too, whatever it is. */
  async replay(kept: KeptReview, post: (request: string) => Promise<WebhookAnswer>): Promise<KeptReview> {
    const { id: replayOf, type, configuration, webhook, request = '' } = kept;
    const asked = { type, configuration, webhook, isConfidential: false, request, replayOf };
    const end = this.#begin(asked);
    return post(request).then(
      (answer) => end(outcomeOf(answer, asked)),
      (error: unknown) => end(failureOf(error)),
    );
  }

  #begin(asked: AskedReview & { readonly replayOf?: string }): (outcome: Outcome) => KeptReview {
    const { isConfidential, request, ...rest } = asked;
    const time = new Date(this.#clock.now()).toISOString();
    const start = this.#clock.monotonic();
    const isKept = !isConfidential && request.length <= MAX_TEXT;
    return (outcome) => {
      this.#count += 1;
      const durationMs = Math.round((this.#clock.monotonic() - start) * 1000) / 1000;
      const recorded = { ...rest, durationMs, ...(isKept ? { request } : {}), ...outcome };
      const review = { id: String(this.#count), time, ...recorded };
      this.#kept.push(review);
      if (this.#kept.length > MAX_REVIEWS) this.#kept.shift();
      return review;
    };
  }
}

type Outcome = Pick<KeptReview, 'code' | 'response' | 'error'>;

function outcomeOf({ code, body }: WebhookAnswer, { isConfidential }: AskedReview): Outcome {
  const isKept = !isConfidential && body.length <= MAX_TEXT;
  return { code, ...(isKept ? { response: Buffer.from(body).toString() } : {}) };
}

function failureOf(error: unknown): Outcome {
  return { error: messageOf(error).slice(0, MAX_TEXT) };
}
