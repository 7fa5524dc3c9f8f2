import { constants, createInflate, type Inflate } from 'node:zlib';
import { headerDictionary } from './dictionary.ts';

/** Lower-case names. */
export type SpdyHeaders = Readonly<Record<string, string>>;

const MAX_UNPACKED_BYTES = 256 * 1024;
const MAX_STORED_BYTES = 0xffff;
const ZLIB_HEAD = Buffer.from([0x78, 0x01]);
/** An empty block, which makes Go's decompressor return everything before it. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/**
 * Compresses the headers of one direction: one zlib stream for all frames, of stored blocks, since few bytes are sent this
 * way.
 */
export class HeaderPacker {
  #isBegun = false;

  pack(headers: SpdyHeaders): Buffer {
    const fields = Object.entries(headers);
    const plain = Buffer.concat([word(fields.length), ...fields.flat().map(field)]);
    const blocks = this.#isBegun ? [] : [ZLIB_HEAD];
    this.#isBegun = true;
    for (let at = 0; at < plain.length; at += MAX_STORED_BYTES) {
      const stored = plain.subarray(at, at + MAX_STORED_BYTES);
      const head = Buffer.alloc(5); // a stored block that is not the last
      head.writeUInt16LE(stored.length, 1);
      head.writeUInt16LE(stored.length ^ 0xffff, 3);
      blocks.push(head, stored);
    }
    return Buffer.concat([...blocks, FLUSH]);
  }
}

/** Decompresses the headers of one direction, in the order of their frames. */
export class HeaderUnpacker {
  readonly #inflate: Inflate = createInflate({ dictionary: headerDictionary(), flush: constants.Z_SYNC_FLUSH });
  #parts: Buffer[] = [];
  #bytes = 0;
  #failure: Error | undefined;

  constructor() {
    this.#inflate.on('data', (part: Buffer) => {
      this.#bytes += part.length;
      if (this.#bytes <= MAX_UNPACKED_BYTES) this.#parts.push(part);
      else this.#inflate.destroy(new Error(`headers have more than ${MAX_UNPACKED_BYTES} bytes`));
    });
    this.#inflate.on('error', (error) => (this.#failure = error));
  }

  /** Throws when the block is invalid. */
  async unpack(block: Uint8Array): Promise<SpdyHeaders> {
    await new Promise<void>((resolve) => {
      this.#inflate.once('close', resolve);
      this.#inflate.write(block, () => {
        this.#inflate.off('close', resolve);
        resolve();
      });
    });
    if (this.#failure !== undefined || this.#inflate.destroyed) throw this.#failure ?? new Error('the session is over');
    const plain = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return readHeaders(plain);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

function readHeaders(plain: Buffer): SpdyHeaders {
  let at = 0;
  const next = (): number => {
    if (at + 4 > plain.length) throw new Error('headers end too early');
    at += 4;
    return plain.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = next();
    if (at + length > plain.length) throw new Error('headers end too early');
    at += length;
    return plain.toString('utf8', at - length, at);
  };
  const count = next();
  const fields: [string, string][] = [];
  for (let index = 0; index < count; index++) fields.push([text().toLowerCase(), text()]);
  return Object.fromEntries(fields);
}

function field(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([word(bytes.length), bytes]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
