/** Bytes of JSON text. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACE = 0x7d;
const CLOSING_BRACKET = 0x5d;

/**
 * Where in a stored object's JSON the leading members of `metadata`, those that `isLeading` says are, end: behind the last of them.
 * Undefined when there is none.
 *
 * Assumes: JSON as `JSON.stringify` writes it, without white space. Example: with `name` and `uid` leading, the place is
 * that of the mark in `{"kind":"Pod","metadata":{"name":"a","uid":"u"^,"labels":{"uid":"x"}}}`.
 */
export function endOfMetadata(bytes: Buffer, isLeading: (name: string) => boolean): number | undefined {
  for (const member of members(bytes, 0)) {
    if (member.name !== 'metadata') continue;
    if (bytes[member.value] !== OPENING_BRACE) return undefined;
    let end: number | undefined;
    for (const { name, value } of members(bytes, member.value)) {
      if (!isLeading(name)) break;
      end = endOfValue(bytes, value);
    }
    return end;
  }
  return undefined;
}

interface Member {
  readonly name: string;
  /** Where its value begins. */
  readonly value: number;
}

/** The members of the object that begins at `at`; the value of one is skipped only when the next one is asked for. */
function* members(bytes: Buffer, at: number): Generator<Member> {
  let position = at + 1;
  while (bytes[position] === QUOTE) {
    const end = endOfString(bytes, position);
    const value = end + 1;
    yield { name: bytes.toString('latin1', position + 1, end - 1), value };
    position = endOfValue(bytes, value);
    if (bytes[position] !== COMMA) return;
    position += 1;
  }
}

/** The position behind the value that begins at `at`. */
function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return endOfString(bytes, at);
  const isNested = first === OPENING_BRACE || first === OPENING_BRACKET;
  let depth = 0;
  for (let position = at; position < bytes.length;) {
    switch (bytes[position]) {
      case QUOTE:
        position = endOfString(bytes, position);
        continue;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        depth += 1;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (!isNested) return position;
        depth -= 1;
        if (depth === 0) return position + 1;
        break;
      case COMMA:
        if (!isNested) return position;
        break;
      default:
    }
    position += 1;
  }
  return bytes.length;
}

/** The position behind the string whose opening quote is at `at`. */
function endOfString(bytes: Buffer, at: number): number {
  let end = bytes.indexOf(QUOTE, at + 1);
  while (end >= 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end < 0 ? bytes.length : end + 1;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
