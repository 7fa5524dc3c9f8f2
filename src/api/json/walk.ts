import { DecodeError } from '../../base/index.ts';
import type { PlainObject } from './plain-object.ts';

/** What one walk over a value is told, and what it finds on the way. */
export class Walk {
  /** Whether defaults are filled in. */
  readonly fills: boolean;
  /**
   * Whether the input is plain JSON that nobody else holds, so that parts which are canonical already may go into the
   * result as they are. What the exact parser made is not plain: it has number tokens.
   */
  readonly owns: boolean;
  /** Whether what is wrong with metadata is left out, as it is of what was stored in times with fewer rules. */
  readonly forgives: boolean;
  /**
   * An object of the struct that is converted next which is canonical already: members that are the very same in both go into
   * the result as they are.
   */
  known: PlainObject | undefined;
  /** How many fields were met that their type does not have. */
  unknownFields = 0;
  /** How many keys were met in all objects together. */
  keys = 0;
  /** The fields that were found in the structs around the place of the walk: a stack, since a list for each takes as much as a struct. */
  readonly found: number[] = [];
  /** How many of them count. */
  foundCount = 0;
  #depth = 0;

  constructor(options: { readonly fills: boolean; readonly owns: boolean; readonly forgives?: boolean | undefined }) {
    this.fills = options.fills;
    this.owns = options.owns;
    this.forgives = options.forgives === true;
  }

  /** Whether a flat list or map of the input may go into the result as it is. */
  mayShare(value: object): boolean {
    return this.owns || Object.isFrozen(value);
  }

  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_KEPT_DEPTH) throw tooDeep();
  }

  leave(): void {
    this.#depth -= 1;
  }
}

/**
 * How deep what is kept may be nested. Go reads 10,000 levels and recurses as deep as it likes; here everything behind
 * decoding (cloning, comparing, JSON.stringify) recurses on a small stack, so such values are refused at the door.
 */
export const MAX_KEPT_DEPTH = 1000;

/** Thrown, without a stack to collect, where a value is not of its type; `explain` then finds out what to say about it. */
export const MISMATCH: unique symbol = Symbol('mismatch');

export function tooDeep(): DecodeError {
  return new DecodeError('depth', 'exceeded max depth');
}
