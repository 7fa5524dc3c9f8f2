import { Boxed, OPTIONAL, type Type } from '../type-terms/index.ts';
import type { Value } from './value.ts';

/** A value that may be absent. */
export class Optional extends Boxed {
  /** Undefined when there is no value; null is one. */
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    super();
    this.value = value;
  }

  get goName(): string {
    return '*types.Optional';
  }

  override get type(): Type {
    return OPTIONAL;
  }
}

export const NONE = new Optional(undefined);
