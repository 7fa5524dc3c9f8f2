import type { OutgoingHttpHeaders } from 'node:http';
import type { Clock } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { Head } from './exchange.ts';

/** Builds the heads of answers, with the headers that every answer has. */
export class HeadWriter {
  readonly #date: HttpDate;

  constructor(clock: Clock) {
    this.#date = new HttpDate(clock);
  }

  /** `length` is undefined when the body's length is not known in advance. */
  head(call: Call, answer: Pick<EncodedAnswer, 'code' | 'headers'>, length: number | undefined): Head {
    const headers: OutgoingHttpHeaders = {
      'audit-id': call.record.auditId,
      'cache-control': 'no-cache, private',
      date: this.#date.text,
      ...call.commonHeaders,
      ...(answer.headers as OutgoingHttpHeaders),
    };
    if (length !== undefined) headers['content-length'] = length;
    return { code: answer.code, headers };
  }
}

/** The `date` header: formatted once per second, not once per answer. */
class HttpDate {
  readonly #clock: Clock;
  #second = Number.NaN;
  #text = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get text(): string {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}
