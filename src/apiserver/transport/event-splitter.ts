import { Buffer } from 'node:buffer';

/** How the events of a watch are separated: JSON by line breaks, protobuf by lengths before each event. */
export type EventFraming = 'lines' | 'lengths';

/** The framing of a content type; undefined when it is not a watch's. */
export function eventFraming(contentType: unknown): EventFraming | undefined {
  if (contentType === 'application/json') return 'lines';
  return contentType === 'application/vnd.kubernetes.protobuf;stream=watch' ? 'lengths' : undefined;
}

const LENGTH_BYTES = 4;
const LINE_BREAK = 10;

/** Splits the stream of a watch into its events: lines with their break, or messages without their length. */
export class EventSplitter {
  readonly #framing: EventFraming;
  /** The received parts of an incomplete event. */
  #parts: Uint8Array[] = [];

  constructor(framing: EventFraming) {
    this.#framing = framing;
  }

  *split(chunk: Uint8Array): Generator<Uint8Array> {
    const isNew = this.#parts.length === 0;
    this.#parts.push(chunk);
    if (!isNew && this.#framing === 'lines' && !chunk.includes(LINE_BREAK)) return; // joined once, at the event's end
    const bytes = isNew ? chunk : Buffer.concat(this.#parts);
    let start = 0;
    for (let end = this.#endFrom(bytes, 0); end !== undefined; end = this.#endFrom(bytes, start)) {
      yield bytes.subarray(this.#framing === 'lines' ? start : start + LENGTH_BYTES, end);
      start = end;
    }
    this.#parts = start === bytes.length ? [] : [bytes.subarray(start)];
  }

  /** The end of the event that begins at `start`; undefined when it is incomplete. */
  #endFrom(bytes: Uint8Array, start: number): number | undefined {
    if (this.#framing === 'lines') {
      const at = bytes.indexOf(LINE_BREAK, start);
      return at === -1 ? undefined : at + 1;
    }
    if (bytes.length < start + LENGTH_BYTES) return undefined;
    const end = start + LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset + start, LENGTH_BYTES).getUint32(0);
    return end <= bytes.length ? end : undefined;
  }
}
