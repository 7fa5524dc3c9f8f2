import { Buffer } from 'node:buffer';
import { OPCODE } from './frame.ts';

/** What a client of a watch can say that means something. */
export type ClientWord =
  | { readonly type: 'ping'; readonly payload: Uint8Array }
  | { readonly type: 'close' }
  | { readonly type: 'broken' };

const MAX_CONTROL_BYTES = 125;
const MASK_BYTES = 4;

/**
 * Reads the frames of a client that has nothing to say: data is dropped as it comes, pings and closes are told.
 *
 * Guarantees: holds no more than a frame's head and 125 bytes, whatever lengths a client announces.
 */
export class WebSocketInput {
  #waiting: Buffer = Buffer.alloc(0);
  /** Bytes of data still to be dropped. */
  #dropping = 0;

  /** Takes what has come, and tells what it says. Nothing is to be read after 'close' or 'broken'. */
  *read(chunk: Uint8Array): Generator<ClientWord> {
    this.#waiting = this.#waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#waiting, chunk]);
    for (;;) {
      this.#drop();
      const head = this.#dropping > 0 ? undefined : readHead(this.#waiting);
      if (head === undefined) return;
      if (head === 'broken') {
        yield { type: 'broken' };
        return;
      }
      if (head.isControl) {
        if (this.#waiting.length < head.end + head.length) return;
        const payload = unmasked(this.#waiting, head);
        this.#waiting = this.#waiting.subarray(head.end + head.length);
        if (head.opcode === OPCODE.ping) yield { type: 'ping', payload };
        if (head.opcode === OPCODE.close) {
          yield { type: 'close' };
          return;
        }
      } else {
        this.#waiting = this.#waiting.subarray(head.end);
        this.#dropping = head.length;
      }
    }
  }

  #drop(): void {
    const count = Math.min(this.#dropping, this.#waiting.length);
    this.#waiting = this.#waiting.subarray(count);
    this.#dropping -= count;
  }
}

interface FrameHead {
  readonly opcode: number;
  readonly isControl: boolean;
  readonly length: number;
  /** Where the payload begins. */
  readonly end: number;
}

/** undefined while not all of it has come. Frames of clients have to be masked, and control frames short and whole. */
function readHead(bytes: Buffer): FrameHead | 'broken' | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const opcode = first & 0x0f;
  const isControl = opcode >= OPCODE.close;
  const short = second & 0x7f;
  const isKnown = opcode <= OPCODE.binary || (isControl && opcode <= OPCODE.pong);
  if (!isKnown || (first & 0x70) !== 0 || (second & 0x80) === 0) return 'broken';
  if (isControl && (short > MAX_CONTROL_BYTES || (first & 0x80) === 0)) return 'broken';
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
  const end = 2 + lengthBytes + MASK_BYTES;
  if (bytes.length < end) return undefined;
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { opcode, isControl, length, end };
}

function unmasked(bytes: Buffer, { end, length }: FrameHead): Uint8Array {
  const mask = bytes.subarray(end - MASK_BYTES, end);
  return Uint8Array.from(bytes.subarray(end, end + length), (byte, index) => byte ^ (mask[index % MASK_BYTES] ?? 0));
}
