import type { FileEntry } from '../file-tree.ts';

const BLOCK = 512;
/** A larger file exceeds the limit of a container. */
const MAX_FILE_BYTES = 1024 * 1024;

export interface TarredFile {
  readonly type: 'file' | 'directory';
  readonly name: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** An entry of an archive: its header, and its content in whole blocks. */
export function tarEntry(name: string, entry: FileEntry): Uint8Array {
  const bytes = entry.type === 'file' ? entry.bytes : new Uint8Array();
  const shown = entry.type === 'directory' && !name.endsWith('/') ? `${name}/` : name;
  const { mode, modifiedMs } = entry;
  const flag = entry.type === 'file' ? '0' : '5';
  const long = Buffer.byteLength(shown) > 100 ? [longName(shown)] : [];
  return Buffer.concat([...long, header(shown, { mode, modifiedMs, flag, size: bytes.length }), padded(bytes)]);
}

/** The end of an archive. */
export function tarEnd(): Uint8Array {
  return Buffer.alloc(2 * BLOCK);
}

function header(
  name: string,
  parts: { readonly mode: number; readonly modifiedMs: number; readonly flag: string; readonly size: number },
): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  Buffer.from(name).copy(block, 0, 0, 100);
  block.write(octal(parts.mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(parts.size, 12), 124);
  block.write(octal(Math.max(0, Math.floor(parts.modifiedMs / 1000)), 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(parts.flag, 156);
  block.write('ustar\0', 257);
  block.write('00', 263);
  block.write(`${octal(sum(block), 7)} `, 148);
  return block;
}

/** The extra entry with which GNU tar stores a name of more than 100 bytes. */
function longName(name: string): Buffer {
  const bytes = Buffer.from(`${name}\0`);
  return Buffer.concat([
    header('././@LongLink', { mode: 0, modifiedMs: 0, flag: 'L', size: bytes.length }),
    padded(bytes),
  ]);
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes], Math.ceil(bytes.length / BLOCK) * BLOCK);
}

function sum(block: Buffer): number {
  return block.reduce((total, byte) => total + byte, 0);
}

/** The files and directories of an archive; other entries are skipped. */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarredFile> {
  const input = new BlockReader(archive);
  let longer: string | undefined;
  for (;;) {
    const block = await input.read(BLOCK);
    if (block === undefined || block.every((byte) => byte === 0)) break;
    const size = number(block, 124, 12);
    const flag = block.toString('latin1', 156, 157);
    if (size > MAX_FILE_BYTES) throw new Error('No space left on device');
    const bytes = (await input.read(Math.ceil(size / BLOCK) * BLOCK))?.subarray(0, size);
    if (bytes === undefined) throw new Error('Unexpected EOF in archive');
    if (flag === 'L') longer = text(bytes, 0, size);
    else if (flag === 'x') longer = paxPath(bytes) ?? longer;
    else if (flag === 'g') continue;
    else {
      const prefix = text(block, 345, 155);
      const name = longer ?? (prefix === '' ? text(block, 0, 100) : `${prefix}/${text(block, 0, 100)}`);
      longer = undefined;
      const mode = number(block, 100, 8) % 0o10000;
      if (flag === '5') yield { type: 'directory', name, mode, bytes };
      else if (flag === '0' || flag === '\0') yield { type: 'file', name, mode, bytes };
    }
  }
  await input.drain();
}

/** Records of the form `27 path=some/long/name\n`. */
function paxPath(bytes: Buffer): string | undefined {
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString('latin1', at, space));
    if (space === -1 || !(length > 0)) return undefined;
    const record = bytes.toString('utf8', space + 1, at + length - 1);
    if (record.startsWith('path=')) return record.slice(5);
    at += length;
  }
  return undefined;
}

function text(block: Buffer, start: number, length: number): string {
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

function number(block: Buffer, start: number, length: number): number {
  const value = Number.parseInt(text(block, start, length).trim() || '0', 8);
  if (!(value >= 0)) throw new Error('This does not look like a tar archive');
  return value;
}

/** Reads a stream in pieces of a given length. */
class BlockReader {
  readonly #input: AsyncIterator<Uint8Array>;
  #ready: Uint8Array[] = [];
  #bytes = 0;

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** Undefined when the stream ends earlier. */
  async read(length: number): Promise<Buffer | undefined> {
    while (this.#bytes < length) {
      const next = await this.#input.next();
      if (next.done === true) return undefined;
      this.#ready.push(next.value);
      this.#bytes += next.value.length;
    }
    const [first = new Uint8Array()] = this.#ready;
    const all =
      this.#ready.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.length) : Buffer.concat(this.#ready);
    this.#ready = [all.subarray(length)];
    this.#bytes -= length;
    return all.subarray(0, length);
  }

  /** Reads the rest of the input: clients send more than the end of the archive. */
  async drain(): Promise<void> {
    while ((await this.#input.next()).done !== true);
  }
}
