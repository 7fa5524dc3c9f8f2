import { Boxed, type Type } from '../type-terms/index.ts';
import type { CelError } from './failure.ts';
import type { Value } from './value.ts';

/** A value of a library's own type. */
export abstract class Opaque extends Boxed {
  /** Whether the values are the same; by default, asking about a value of another type is an error. */
  abstract equals(other: Value): boolean | CelError;

  /** What the cost of functions on it depends on; undefined counts as one. */
  get size(): number | undefined {
    return undefined;
  }

  /** What `type()` says. */
  get typeValue(): Type {
    return this.type;
  }

  /** Whether Kubernetes breaks down over such a key of a map. */
  get isUnhashable(): boolean {
    return false;
  }
}
