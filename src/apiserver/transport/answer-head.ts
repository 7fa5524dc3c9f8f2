import type { OutgoingHttpHeaders } from 'node:http';
import type { Clock, UidSource } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import type { Exchange, Head } from './exchange.ts';
import { HttpDate } from './http-date.ts';

/** Writes the heads of answers, with what every answer carries. */
export class HeadWriter {
  readonly #uids: UidSource;
  readonly #date: HttpDate;

  constructor(clock: Clock, uids: UidSource) {
    this.#uids = uids;
    this.#date = new HttpDate(clock);
  }

  /** `length` is left out when the body's is not known beforehand. */
  head(exchange: Exchange, answer: Pick<EncodedAnswer, 'code' | 'headers'>, length: number | undefined): Head {
    const headers: OutgoingHttpHeaders = {
      'audit-id': exchange.header('audit-id') || this.#uids.next(),
      'cache-control': 'no-cache, private',
      ...(answer.headers as OutgoingHttpHeaders),
      date: this.#date.text,
    };
    if (length !== undefined) headers['content-length'] = length;
    return { code: answer.code, headers };
  }
}
