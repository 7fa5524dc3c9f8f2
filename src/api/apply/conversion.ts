import type { Struct } from '../schema/schema.ts';

/** Objects of one version that are needed in another. */
export interface ConversionRequest {
  readonly objects: readonly unknown[];
  readonly apiVersion: string;
}

export interface ConvertedObjects {
  /** In the order of the request. */
  readonly objects: readonly unknown[];
  readonly type: Struct;
}

/** Undefined if the version does not exist, or no longer. */
type ConversionAnswer = ConvertedObjects | undefined;

/**
 * A computation on objects that may need conversions. It yields the conversions it needs and continues with the answer, so
 * that the same code works with synchronous conversions and with calls to a webhook. When it yields undefined, it has
 * finished a step that takes long for large objects.
 */
export type Converting<T> = Generator<ConversionRequest | undefined, T, ConversionAnswer>;

export interface ConvertingOptions {
  readonly convert: (request: ConversionRequest) => ConversionAnswer | Promise<ConversionAnswer>;
  /** Awaited after steps that take long. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Runs the computation to its end; returns a promise only if a conversion did, or there are pauses. */
export function withConversions<T>(work: Converting<T>, options: ConvertingOptions): T | Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    const answer = answerTo(step.value, options);
    if (answer instanceof Promise) return goOn(work, options, answer);
    step = work.next(answer);
  }
  return step.value;
}

async function goOn<T>(work: Converting<T>, options: ConvertingOptions, first: Promise<ConversionAnswer>): Promise<T> {
  let step = work.next(await first);
  while (step.done !== true) step = work.next(await answerTo(step.value, options));
  return step.value;
}

function answerTo(
  request: ConversionRequest | undefined,
  { convert, pause }: ConvertingOptions,
): ConversionAnswer | Promise<ConversionAnswer> {
  return request === undefined ? pause?.().then(() => undefined) : convert(request);
}
