import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Clock } from '../../../base/index.ts';
import {
  decodeMessage,
  Flag,
  framed,
  FrameReader,
  MalformedMessageError,
  type Message,
  type Question,
} from '../../../wire/dns/index.ts';
import { formatUpstream, type UpstreamAddress } from './upstream-address.ts';

/** A question on its way to an upstream server. */
export interface UpstreamQuery {
  readonly id: number;
  readonly question: Question;
  readonly bytes: Uint8Array;
}

export interface UpstreamResponse {
  readonly bytes: Buffer;
  readonly message: Message;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

export type Exchange = (
  upstream: UpstreamAddress,
  query: UpstreamQuery,
  options: ExchangeOptions,
) => Promise<UpstreamResponse>;

/** An upstream server that did not answer. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
}

/**
 * Sends one question over UDP, from a port of its own that the system picks at random, and waits for its answer.
 *
 * Guarantees: packets from elsewhere, with another id or about another question are not taken for the answer. Rejects with
 * UpstreamError.
 */
export const exchangeUdp: Exchange = (upstream, query, { clock, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const socket = createSocket(upstream.host.includes(':') ? 'udp6' : 'udp4');
    let isOver = false;
    const end = (): void => {
      isOver = true;
      timer[Symbol.dispose]();
      socket.close();
    };
    const fail = (reason: string, cause?: unknown): void => {
      if (isOver) return;
      end();
      reject(new UpstreamError(`Cannot ask upstream server ${formatUpstream(upstream)}: ${reason}`, { cause }));
    };
    const timer = clock.timer(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
    socket.on('error', (error) => fail(error.message, error));
    socket.on('message', (bytes) => {
      const message = isOver ? undefined : answerTo(query, bytes);
      if (message === undefined) return; // forged or late: the right one may still come
      end();
      resolve({ bytes, message });
    });
    socket.connect(upstream.port, upstream.host, (error?: Error) => {
      if (isOver) return;
      if (error !== undefined) fail(error.message, error);
      else socket.send(query.bytes);
    });
  });

/** Sends one question over a TCP connection of its own. Rejects with UpstreamError. */
export const exchangeTcp: Exchange = (upstream, query, { clock, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: upstream.host, port: upstream.port, noDelay: true });
    const frames = new FrameReader();
    const end = (): void => {
      timer[Symbol.dispose]();
      socket.destroy();
    };
    const fail = (reason: string, cause?: unknown): void => {
      end();
      reject(new UpstreamError(`Cannot ask upstream server ${formatUpstream(upstream)}: ${reason}`, { cause }));
    };
    const timer = clock.timer(timeoutMs, () => fail(`no answer over TCP within ${timeoutMs} ms`));
    socket.on('error', (error) => fail(error.message, error));
    socket.on('end', () => fail('the connection was closed'));
    socket.on('data', (chunk) => {
      for (const bytes of frames.push(chunk)) {
        const message = answerTo(query, bytes);
        if (message === undefined) return fail('it sent something else than the answer');
        end();
        return resolve({ bytes: Buffer.from(bytes), message });
      }
    });
    socket.write(framed(query.bytes));
  });

/** The message if it is the answer to the question. */
function answerTo({ id, question }: UpstreamQuery, bytes: Buffer): Message | undefined {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== id) return undefined;
  let message: Message;
  try {
    message = decodeMessage(bytes);
  } catch (error) {
    if (error instanceof MalformedMessageError) return undefined;
    throw error;
  }
  const [quoted] = message.questions;
  const isAnswer = (message.flags & Flag.RESPONSE) !== 0 && message.questions.length <= 1;
  if (!isAnswer) return undefined;
  if (quoted === undefined) return message.answers.length === 0 ? message : undefined; // some errors come without it
  const isSame =
    quoted.type === question.type &&
    quoted.class === question.class &&
    quoted.name.toLowerCase() === question.name.toLowerCase();
  return isSame ? message : undefined;
}
