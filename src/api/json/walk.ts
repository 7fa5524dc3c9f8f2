import { DecodeError } from '../../base/index.ts';
import type { PlainObject } from './plain-object.ts';

export interface WalkOptions {
  readonly fills: boolean;
  readonly owns: boolean;
  readonly forgives?: boolean | undefined;
  readonly sortsRaw?: boolean | undefined;
}

/** The options and findings of one walk over a value. */
export class Walk {
  /** Whether to fill in defaults. */
  readonly fills: boolean;
  /**
   * Whether the input is plain JSON that belongs to the walk, so that canonical parts may go into the result uncopied. The
   * exact parser's output is not plain: it contains number tokens.
   */
  readonly owns: boolean;
  /** Whether invalid metadata is dropped instead of refused, as in objects stored under older rules. */
  readonly forgives: boolean;
  /** Whether untyped values get their keys sorted, as where Go has kept them as maps. */
  readonly sortsRaw: boolean;
  /** A canonical object of the struct that is converted next: members that both share go into the result unconverted. */
  known: PlainObject | undefined;
  /** Number of unknown fields found. */
  unknownFields = 0;
  /** Number of keys found in all objects. */
  keys = 0;
  /** The fields found in the enclosing structs, as a stack: a list for each would take as much memory as the struct. */
  readonly found: number[] = [];
  /** The used length of `found`. */
  foundCount = 0;
  /** About how long the defaults are that were filled in, as JSON. */
  filledBytes = 0;
  #depth = 0;

  constructor(options: WalkOptions) {
    this.fills = options.fills;
    this.owns = options.owns;
    this.forgives = options.forgives === true;
    this.sortsRaw = options.sortsRaw === true;
  }

  /** Whether a flat list or map of the input may go into the result uncopied. */
  mayShare(value: object): boolean {
    return this.owns || Object.isFrozen(value);
  }

  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_KEPT_DEPTH) throw tooDeep();
  }

  /** Counts a default before it is filled in: a short text may ask for many. */
  fill(bytes: number): void {
    this.filledBytes += bytes;
    if (this.filledBytes > MAX_FILLED_BYTES)
      throw new DecodeError('size', `with its defaults, it is larger than ${MAX_FILLED_BYTES} bytes`);
  }

  leave(): void {
    this.#depth -= 1;
  }
}

/** No store takes more in one object. */
const MAX_FILLED_BYTES = 1.5 * 1024 * 1024;

/**
 * Maximum nesting of values that are kept. Go reads 10,000 levels and recurses without a limit; here everything after
 * decoding (cloning, comparing, JSON.stringify) recurses on a small stack, so such values are refused early.
 */
export const MAX_KEPT_DEPTH = 1000;

/** Thrown, without the cost of a stack trace, if a value does not match its type; `explain` then finds the message. */
export const MISMATCH: unique symbol = Symbol('mismatch');

export function tooDeep(): DecodeError {
  return new DecodeError('depth', 'exceeded max depth');
}
