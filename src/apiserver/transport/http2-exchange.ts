import { BrokenOffError, CODE, type ServerStream } from '../../wire/http2/index.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';
import { bodyTooLarge, BodyBuffer, incomplete } from './body-reader.ts';
import type { Connection } from './connection.ts';
import type { Exchange, Head } from './exchange.ts';

/** An HTTP/2 stream. */
export class Http2Exchange implements Exchange {
  readonly connection: Connection;
  readonly output: ServerStream;
  readonly isUpgrade = false;
  #isBodyStreamed = false;

  constructor(stream: ServerStream, connection: Connection) {
    this.output = stream;
    this.connection = connection;
  }

  get method(): string {
    return this.output.headers.method ?? '';
  }

  get target(): string {
    return this.output.headers.path ?? '';
  }

  get remoteAddress(): string {
    return this.connection.remoteAddress;
  }

  get certificate(): ClientCertificate | 'invalid' | undefined {
    return this.connection.certificate;
  }

  get proxyCertificate(): ClientCertificate | undefined {
    return this.connection.proxyCertificate;
  }

  header(name: string): string | undefined {
    const { headers } = this.output;
    return name === 'host' ? (headers.authority ?? headers.value(name)) : headers.value(name);
  }

  headers(name: string): readonly string[] {
    const { fields } = this.output.headers;
    const values: string[] = [];
    for (let index = 0; index < fields.length; index += 2) {
      if (fields[index] === name) values.push(fields[index + 1] as string);
    }
    return values;
  }

  headerNames(): readonly string[] {
    return [...new Set(this.output.headers.fields.filter((_, index) => index % 2 === 0))];
  }

  hasHeader(test: (name: string) => boolean): boolean {
    const { fields } = this.output.headers;
    for (let index = 0; index < fields.length; index += 2) if (test(fields[index] as string)) return true;
    return false;
  }

  body(limit: number): Promise<Uint8Array> {
    const stream = this.output;
    const { contentLength = 0 } = stream.headers;
    if (contentLength > limit) return Promise.reject(bodyTooLarge(limit));
    this.#sendContinue();
    return new Promise((resolve, reject) => {
      const gathered = new BodyBuffer(limit);
      stream.input.readTo({
        data(chunk) {
          if (gathered.add(chunk)) return;
          stream.discardInput();
          reject(bodyTooLarge(limit));
        },
        end: (isWhole) => (isWhole ? resolve(gathered.bytes) : reject(incomplete())),
      });
    });
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    this.#sendContinue();
    this.#isBodyStreamed = true;
    return wholeOrIncomplete(this.output.input.chunks());
  }

  takeOver(): never {
    throw new Error('Cannot take over a stream of HTTP/2: extended CONNECT (RFC 8441) is not offered');
  }

  send(head: Head, body: Uint8Array | undefined): void {
    const stream = this.output;
    stream.respond(head);
    if (body !== undefined) stream.write(body);
    stream.end();
    stream.discardInput();
  }

  start(head: Head): void {
    const stream = this.output;
    stream.respond(head);
    if (stream.isInputOver) return;
    // the answer may be made from the body: whether it is becomes known when it has begun
    process.nextTick(() => stream.discardInput(this.#isBodyStreamed ? 'answered' : 'now'));
  }

  cut(): void {
    this.output.reset(CODE.internalError);
  }

  onClose(closed: (isFlushed: boolean) => void): void {
    const stream = this.output;
    stream.on('close', () => closed(stream.isFlushed));
  }

  /** A client may wait for permission before it sends its body. */
  #sendContinue(): void {
    if (this.header('expect')?.toLowerCase() === '100-continue') this.output.inform(100);
  }
}

async function* wholeOrIncomplete(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    throw cause instanceof BrokenOffError ? incomplete({ cause }) : cause;
  }
}
