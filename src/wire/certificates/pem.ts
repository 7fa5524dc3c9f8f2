/** One block of PEM. */
export interface PemBlock {
  /** What it says it is, such as `CERTIFICATE`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const DASHES = '-----';

/** The blocks of a text as Go finds them: what is malformed, and what stands between blocks, is passed over. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let from = 0; ;) {
    const end = text.indexOf(END, from);
    if (end < 0) return blocks;
    const begin = text.slice(from, end).lastIndexOf(BEGIN);
    const block = begin < 0 ? undefined : readBlock(text.slice(from), begin, end - from);
    if (block !== undefined) blocks.push(block);
    from = end + (block === undefined ? END.length : 1);
    if (block !== undefined) from = lineEnd(text, from);
  }
}

/** The block that begins and ends at these places; undefined if it is malformed. */
function readBlock(text: string, begin: number, end: number): PemBlock | undefined {
  if (begin > 0 && text[begin - 1] !== '\n') return undefined;
  const start = begin + BEGIN.length;
  const title = lineAt(text, start);
  if (!title.endsWith(DASHES)) return undefined;
  const type = title.slice(0, -DASHES.length);
  let body = lineEnd(text, start);
  let hasHeaders = false;
  while (body < text.length && lineAt(text, body).includes(':')) {
    hasHeaders = true;
    body = lineEnd(text, body);
  }
  if ((hasHeaders && body > end) || lineAt(text, end + END.length) !== type + DASHES) return undefined;
  const encoded = text.slice(body, Math.max(body, end)).replaceAll(/[ \t\r\n]/g, '');
  return isBase64(encoded) ? { type, hasHeaders, bytes: Buffer.from(encoded, 'base64') } : undefined;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The line from a place on, without the white space that it ends with. */
function lineAt(text: string, start: number): string {
  return text.slice(start, lineEnd(text, start)).replace(/[ \t\r\n]+$/, '');
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end + 1;
}
