import type { Status } from '../../api/client.ts';
import type { TransportEvent } from '../transport.ts';
import { TransportError } from '../../wire/http/index.ts';
import { asBuffer, excerpt } from './body-reader.ts';
import { parseJson } from './parse-json.ts';

/** Marks the bookmark that ends a streaming list (KEP-3157). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
const NEWLINE = 0x0a;

interface Frame {
  readonly type?: unknown;
  readonly object?: {
    readonly metadata?: { readonly resourceVersion?: string; readonly annotations?: Readonly<Record<string, string>> };
  };
}

/**
 * Reads the events of a watch: one JSON object per line. Events that arrive together form one batch.
 *
 * Ends: with a `protocol` error on a line that is not an event, `tooLarge` on one beyond `maxBytes`, and `cut` when the
 * stream stops in the middle of a line.
 */
export async function* decodeWatch(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<readonly TransportEvent[]> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) {
      const whole = pending.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...pending, chunk.subarray(0, end)]);
      pending = [];
      pendingBytes = 0;
      const events = readLines(asBuffer(whole).toString('utf8'));
      if (events.length > 0) yield events;
    }
    if (end + 1 === chunk.length) continue;
    pending.push(chunk.subarray(end + 1));
    pendingBytes += chunk.length - end - 1;
    if (pendingBytes > maxBytes)
      throw new TransportError('tooLarge', `Cannot watch: an event is longer than ${maxBytes} bytes`);
  }
  if (pendingBytes > 0)
    throw new TransportError('cut', 'Lost the connection: the watch stopped in the middle of an event');
}

function readLines(text: string): TransportEvent[] {
  const events: TransportEvent[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() !== '') events.push(readEvent(line));
  }
  return events;
}

function readEvent(line: string): TransportEvent {
  let frame: Frame;
  try {
    frame = parseJson(line) as Frame;
  } catch (cause) {
    throw new TransportError('protocol', `Cannot read an event of the watch: ${excerpt(line)}`, { cause });
  }
  switch (frame.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: frame.type, object: frame.object };
    case 'BOOKMARK': {
      const { resourceVersion = '', annotations } = frame.object?.metadata ?? {};
      return { type: 'BOOKMARK', resourceVersion, endsInitialEvents: annotations?.[INITIAL_EVENTS_END] === 'true' };
    }
    case 'ERROR':
      return { type: 'ERROR', status: frame.object as unknown as Status };
    default:
      throw new TransportError('protocol', `Cannot read an event of the watch: ${excerpt(line)}`);
  }
}
