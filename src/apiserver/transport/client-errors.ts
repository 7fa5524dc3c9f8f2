import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { methodNotAllowed } from '../../api/index.ts';

/** Node's error for bytes that are not a valid request. */
export interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** The last answer to a client that sent invalid HTTP/1.1; undefined when none should be sent. */
export function answerToClientError(error: ClientError): string | undefined {
  if (error.code === 'HPE_HEADER_OVERFLOW') return plainAnswer('431 Request Header Fields Too Large');
  if (error.code === 'HPE_INVALID_METHOD' && isRequest(error.rawPacket)) return methodNotAllowedAnswer();
  return error.code?.startsWith('HPE_') === true ? plainAnswer('400 Bad Request') : undefined;
}

/**
 * The last answer to a request that Node's parser accepts and Go's server does not: its host or the length of its body is ambiguous, and a
 * proxy in between may interpret it differently. Undefined when the request is unambiguous.
 */
export function answerToAmbiguity(message: IncomingMessage): string | undefined {
  if (message.httpVersionMajor !== 1) return plainAnswer('400 Bad Request');
  const { rawHeaders } = message;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return plainAnswer('400 Bad Request: too many Host headers');
  const coding = message.headers['transfer-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'chunked') return undefined;
  return plainAnswer('501 Not Implemented', 'Unsupported transfer encoding');
}

function plainAnswer(line: string, body = line): string {
  return `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${body}`;
}

/** Node's parser knows only registered methods; clients get the same refusal as for any unsupported method. */
function methodNotAllowedAnswer(): string {
  const body = `${JSON.stringify(methodNotAllowed().status)}\n`;
  return (
    'HTTP/1.1 405 Method Not Allowed\r\nCache-Control: no-cache, private\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

function isRequest(packet: Uint8Array | undefined): boolean {
  return packet !== undefined && REQUEST_LINE.test(Buffer.from(packet.subarray(0, 4096)).toString('latin1'));
}
