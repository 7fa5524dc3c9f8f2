// The Huffman code of HPACK (RFC 7541, appendix B). It is canonical, so the lengths of its codes define it.
import { Buffer } from 'node:buffer';

/** The code length of each byte, and of the end of a string. */
const LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];

const END_OF_STRING = 256;

/** The length of the shortest code, so four bits never complete two. */
const MIN_CODE_BITS = 5;

// An entry of the table: the transition by four bits from a state. The state is the low byte; a completed byte
// follows, with two flags.
const HAS_BYTE = 1 << 16;
const IS_FAILURE = 1 << 17;

/** For each state the transitions by four bits; and the states in which a string may end. */
const decoding = decodingTable();

/** The text, as latin1; undefined when the bytes are invalid. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const { entries, isEnd } = decoding;
  const decoded = Buffer.allocUnsafe(Math.floor(((end - start) * 8) / MIN_CODE_BITS));
  let length = 0;
  let state = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    const first = entries[(state << 4) | (byte >> 4)] as number;
    if ((first & HAS_BYTE) !== 0) decoded[length++] = first >> 8;
    const second = entries[((first & 0xff) << 4) | (byte & 0xf)] as number;
    if ((second & HAS_BYTE) !== 0) decoded[length++] = second >> 8;
    if (((first | second) & IS_FAILURE) !== 0) return undefined;
    state = second & 0xff;
  }
  return isEnd[state] === 1 ? decoded.toString('latin1', 0, length) : undefined;
}

interface Node {
  readonly children: [Node | number | undefined, Node | number | undefined];
  readonly state: number;
  /** A string may end here: the rest of its last byte is a prefix of the end's code, which is ones. */
  readonly isEnd: boolean;
}

function decodingTable(): { readonly entries: Uint32Array; readonly isEnd: Uint8Array } {
  const nodes = codeTree();
  const entries = new Uint32Array(nodes.length * 16);
  const isEnd = Uint8Array.from(nodes, (node) => (node.isEnd ? 1 : 0));
  const root = nodes[0] as Node;
  for (const node of nodes) {
    for (let half = 0; half < 16; half++) entries[(node.state << 4) | half] = entryFor(root, node, half);
  }
  return { entries, isEnd };
}

function entryFor(root: Node, from: Node, half: number): number {
  let node = from;
  let entry = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const next = node.children[(half >> bit) & 1];
    if (next === undefined || next === END_OF_STRING) return IS_FAILURE;
    if (typeof next === 'number') entry = HAS_BYTE | (next << 8);
    node = typeof next === 'number' ? root : next;
  }
  return entry | node.state;
}

/** All inner nodes of the code tree, the root first. */
function codeTree(): Node[] {
  const root: Node = { children: [undefined, undefined], state: 0, isEnd: true };
  const nodes = [root];
  const inOrder = LENGTHS.map((length, symbol) => ({ length, symbol })).sort(
    (left, right) => left.length - right.length || left.symbol - right.symbol,
  );
  let code = 0;
  let bits = MIN_CODE_BITS;
  for (const { length, symbol } of inOrder) {
    code *= 2 ** (length - bits);
    bits = length;
    place(nodes, code, { length, symbol });
    code += 1;
  }
  return nodes;
}

function place(nodes: Node[], code: number, { length, symbol }: { length: number; symbol: number }): void {
  let node = nodes[0] as Node;
  for (let bit = length - 1; bit > 0; bit--) {
    const side = (code >>> bit) & 1;
    let next = node.children[side];
    if (typeof next !== 'object') {
      next = {
        children: [undefined, undefined],
        state: nodes.length,
        isEnd: node.isEnd && side === 1 && length - bit < 8,
      };
      nodes.push(next);
      node.children[side] = next;
    }
    node = next;
  }
  node.children[code & 1] = symbol;
}
