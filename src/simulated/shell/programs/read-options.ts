/** A program was called with options that it does not have. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface OptionLetters {
  /** Options without a value, by letter. */
  readonly flags?: string;
  /** Options with a value. */
  readonly values?: string;
  /** Long options that stand for a letter: `quiet: 'q'`. */
  readonly long?: Readonly<Record<string, string>>;
  /** The first operand ends the options, as of programs that run other programs. */
  readonly stopsAtOperand?: boolean;
}

export interface GivenOptions {
  has(letter: string): boolean;
  value(letter: string): string | undefined;
  /** All values of an option that may be repeated. */
  values(letter: string): readonly string[];
  readonly operands: readonly string[];
}

/** Reads options as `getopt` does: letters may be joined, values may follow at once. */
export function readOptions(args: readonly string[], letters: OptionLetters): GivenOptions {
  const { flags = '', values = '', long = {}, stopsAtOperand = false } = letters;
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  const add = (letter: string, value = ''): void => void given.set(letter, [...(given.get(letter) ?? []), value]);
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      if (!stopsAtOperand) continue;
      operands.push(...args.slice(at + 1));
      break;
    }
    if (word.startsWith('--')) {
      const [name = '', value] = word.slice(2).split(/=(.*)/s);
      const letter = Object.hasOwn(long, name) ? long[name] : undefined;
      if (letter === undefined) throw new UsageError(`unrecognized option: ${name}`);
      add(letter, value ?? (values.includes(letter) ? args[++at] : ''));
      continue;
    }
    for (let place = 1; place < word.length; place++) {
      const letter = word.charAt(place);
      if (values.includes(letter)) {
        const rest = word.slice(place + 1);
        const value = rest === '' ? args[++at] : rest;
        if (value === undefined) throw new UsageError(`option requires an argument: ${letter}`);
        add(letter, value);
        break;
      }
      if (!flags.includes(letter)) throw new UsageError(`unrecognized option: ${letter}`);
      add(letter);
    }
  }
  return {
    has: (letter) => given.has(letter),
    value: (letter) => given.get(letter)?.at(-1),
    values: (letter) => given.get(letter) ?? [],
    operands,
  };
}

/** A count that an option states. */
export function countOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`invalid number '${text}'`);
  return Number(text);
}
