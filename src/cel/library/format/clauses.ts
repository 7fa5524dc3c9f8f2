/** The letters of formatting clauses: `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`. */
export type ClauseLetter = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

const LETTERS = new Set(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o']);

/** An invalid format; `argument` is the offending value, if a value caused it. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly culprit: unknown;

  constructor(message: string, culprit?: unknown) {
    super(message);
    this.culprit = culprit;
  }
}

/** Fills in the clauses of a format. */
export interface Filler {
  readonly count: number;
  /** Whether a format that ends in `%` is refused before missing values are. */
  readonly checksEndFirst?: boolean;
  /** The text for the clause, from the value at that position. Throws FormatError. */
  fill(clause: ClauseLetter, position: number, precision: number | undefined): string;
}

/** Returns the format with its clauses filled in. Throws FormatError. */
export function fillFormat(format: string, filler: Filler): string {
  let text = '';
  let position = 0;
  for (let at = 0; at < format.length;) {
    if (format.charAt(at) !== '%') {
      text += format.charAt(at);
      at += 1;
    } else if (format.charAt(at + 1) === '%') {
      text += '%';
      at += 2;
    } else {
      const isCut = at + 1 >= format.length;
      if (isCut && filler.checksEndFirst === true) throw new FormatError('unexpected end of string');
      if (position >= filler.count) throw new FormatError(`index ${position} out of range`);
      if (isCut) throw new FormatError('unexpected end of string');
      const { letter, precision, end } = readClause(format, at + 1);
      text += inFormatting(() => filler.fill(letter, position, precision));
      at = end;
      position += 1;
    }
  }
  return text;
}

function inFormatting(action: () => string): string {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`error during formatting: ${error.message}`, error.culprit);
  }
}

function readClause(
  format: string,
  start: number,
): { readonly letter: ClauseLetter; readonly precision: number | undefined; readonly end: number } {
  const { precision, end } = readPrecision(format, start);
  const byte = Buffer.from(format.slice(end, end + 2))[0] as number; // Go reads a byte, not a character
  const letter = String.fromCharCode(byte);
  if (!LETTERS.has(letter)) {
    throw new FormatError(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
  }
  return { letter: letter as ClauseLetter, precision, end: end + 1 };
}

function readPrecision(
  format: string,
  start: number,
): { readonly precision: number | undefined; readonly end: number } {
  if (format.charAt(start) !== '.') return { precision: undefined, end: start };
  const digits = /^[0-9]*/.exec(format.slice(start + 1))?.[0] ?? '';
  const end = start + 1 + digits.length;
  const fail = (why: string): never => {
    throw new FormatError(`could not parse formatting clause: error while parsing precision: ${why}`);
  };
  if (end >= format.length) fail('could not find end of precision specifier');
  const quoted = `error while converting precision to integer: strconv.Atoi: parsing "${digits}"`;
  if (digits === '') fail(`${quoted}: invalid syntax`);
  if (BigInt(digits) > 2n ** 63n - 1n) fail(`${quoted}: value out of range`);
  return { precision: Number(digits), end };
}

const WRONG_TYPE_MESSAGES: Readonly<Record<ClauseLetter, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** The error for a clause whose value has a type it cannot show. */
export function wrongType(clause: ClauseLetter, typeName: string, culprit?: unknown): FormatError {
  return new FormatError(`${WRONG_TYPE_MESSAGES[clause]}, was given ${typeName}`, culprit);
}
