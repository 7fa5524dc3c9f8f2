import { type ApiObject, StatusError } from '../../api/index.ts';
import { messageOf, unreachable } from '../../base/index.ts';
import type { WebhookClient, WebhookTarget } from '../../apiserver/index.ts';
import type { ConversionFailure, ConversionMetrics } from './conversion-metrics.ts';
import {
  readConversionReview,
  type ReviewAnswer,
  type ReviewedObject,
  reviewParts,
  type ReviewQuestion,
  reviewText,
  returnedObjects,
  reviewVersion,
} from './conversion-review.ts';
import { convertedObject, InvalidConversion } from './converted-object.ts';

/** As upstream: conversions have no separate timeout, only the client's. */
const TIMEOUT_MS = 30_000;

export interface WebhookConversionOptions {
  /** The name of the definition. */
  readonly definition: string;
  readonly target: WebhookTarget;
  readonly reviewVersions: readonly string[];
  readonly webhooks: WebhookClient;
  readonly metrics?: ConversionMetrics;
}

/** A failure, with its class in the metrics. */
class FailedConversion extends Error {
  override readonly name = 'FailedConversion';
  readonly failure: ConversionFailure;

  constructor(failure: ConversionFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** Converts with a definition's webhook, all objects of a call together. */
export class WebhookConversion {
  readonly #options: WebhookConversionOptions;

  constructor(options: WebhookConversionOptions) {
    this.#options = options;
  }

  /** Objects of other versions than `apiVersion`, converted to it, in the same order. */
  async convert(objects: readonly ApiObject[], apiVersion: string, signal: AbortSignal): Promise<readonly ApiObject[]> {
    const version = reviewVersion(this.#options.reviewVersions);
    if (version === undefined) throw refusal('no supported conversion review versions');
    const converted: ApiObject[] = [];
    for (const part of reviewParts(objects)) {
      const question = {
        version,
        uid: this.#options.webhooks.newUid(),
        desiredApiVersion: apiVersion,
        objects: part.map(({ text }) => text),
      };
      converted.push(...(await this.#measured(part, question, signal)));
    }
    return converted;
  }

  async #measured(
    part: readonly ReviewedObject[],
    question: ReviewQuestion,
    signal: AbortSignal,
  ): Promise<readonly ApiObject[]> {
    const { metrics, definition, webhooks } = this.#options;
    const start = webhooks.clock.monotonic();
    const observe = (failure?: ConversionFailure): void =>
      metrics?.observe({
        definition,
        fromVersion: versionOf(part[0]?.object.apiVersion ?? ''),
        toVersion: versionOf(question.desiredApiVersion),
        seconds: (webhooks.clock.monotonic() - start) / 1000,
        ...(failure === undefined ? {} : { failure }),
      });
    try {
      const converted = await this.#convertPart(part, question, signal);
      observe();
      return converted;
    } catch (error) {
      if (!(error instanceof FailedConversion)) throw error;
      observe(error.failure);
      throw refusal(error.message, error);
    }
  }

  async #convertPart(
    part: readonly ReviewedObject[],
    question: ReviewQuestion,
    signal: AbortSignal,
  ): Promise<readonly ApiObject[]> {
    const subject = subjectOf(part[0]?.object);
    const answer = await this.#ask(question, { subject, signal });
    const returned = understood(() => returnedObjects(answer, question), {
      subject,
      failure: 'conversion_webhook_malformed_response_failure',
    });
    if (returned.length !== part.length) {
      const message = `${subject} returned ${returned.length} objects, expected ${part.length}`;
      throw new FailedConversion('conversion_webhook_partial_response_failure', message);
    }
    return part.map(({ object }, index) => {
      try {
        return convertedObject(object, returned[index], question.desiredApiVersion);
      } catch (error) {
        if (!(error instanceof InvalidConversion)) throw error;
        const message = invalidMessage(subjectOf(object), error);
        throw new FailedConversion('conversion_webhook_invalid_converted_object_failure', message, error);
      }
    });
  }

  /** The answer to the question; an unreadable review counts as a failed call. */
  async #ask(
    question: ReviewQuestion,
    { subject, signal }: { readonly subject: string; readonly signal: AbortSignal },
  ): Promise<ReviewAnswer> {
    const { webhooks, target } = this.#options;
    try {
      const answer = await webhooks.post(target, { body: reviewText(question), timeoutMs: TIMEOUT_MS, signal });
      return readConversionReview(answer, question.version, webhooks.types);
    } catch (error) {
      const message = `${subject} failed: ${messageOf(error)}`;
      throw new FailedConversion('conversion_webhook_call_failure', message, error);
    }
  }
}

function understood<T>(
  read: () => T,
  { subject, failure }: { readonly subject: string; readonly failure: ConversionFailure },
): T {
  try {
    return read();
  } catch (error) {
    throw new FailedConversion(failure, `${subject} failed: ${messageOf(error)}`, error);
  }
}

/** Worded as for a single object, because upstream converts stored objects one by one. */
function invalidMessage(subject: string, { place, message }: InvalidConversion): string {
  switch (place) {
    case 'raw':
      return message;
    case 'object':
      return `${subject} returned invalid object at index 0: ${message}`;
    case 'identity':
      return `${subject} returned invalid object: ${message}`;
    case 'metadata':
      return `${subject} returned invalid metadata: ${message}`;
    default:
      return unreachable(place);
  }
}

function subjectOf(object: ApiObject | undefined): string {
  return `conversion webhook for ${object?.apiVersion}, Kind=${object?.kind}`;
}

/** Upstream passes these errors through unchanged, so the Status has no reason. */
function refusal(message: string, cause?: unknown): StatusError {
  return new StatusError({ code: 500, message }, { cause });
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}
