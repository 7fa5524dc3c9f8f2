import type { TransportBody } from '../transport.ts';
import { TransportError } from '../../wire/http/index.ts';
import { parseJson } from './parse-json.ts';

/** A response's value; `isShared`: it is frozen and shared with other readers. */
export interface ReadValue {
  readonly value: unknown;
  readonly isShared: boolean;
}

/** Reads a whole body as JSON. */
export async function readJson(body: TransportBody, maxBytes: number): Promise<ReadValue> {
  if (body.type === 'object') return { value: body.object, isShared: true };
  const text = await readText(body, maxBytes);
  try {
    return { value: parseJson(text), isShared: false };
  } catch (cause) {
    throw new TransportError('protocol', `Cannot read the answer as JSON: ${excerpt(text)}`, { cause });
  }
}

/** Reads a whole body as text. */
export async function readText(body: TransportBody, maxBytes: number): Promise<string> {
  if (body.type === 'object') return JSON.stringify(body.object);
  if (body.type === 'events') throw new TransportError('protocol', 'Cannot read the answer: it is a stream of events');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body.chunks) {
    size += chunk.length;
    if (size > maxBytes)
      throw new TransportError('tooLarge', `Cannot read the answer: it is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return (chunks.length === 1 && chunks[0] !== undefined ? asBuffer(chunks[0]) : Buffer.concat(chunks)).toString(
    'utf8',
  );
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The beginning of a text, for messages. */
export function excerpt(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}
