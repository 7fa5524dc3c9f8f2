import type { Value } from '../values/index.ts';

/**
 * How raw JSON is read as values, where the schema says more than the JSON: that a number is a double, or a string a
 * time.
 */
export interface Shape {
  /** The value of a piece of JSON; an error when it does not fit. */
  convert(raw: unknown): Value;
  /** Set for objects with fields: the field that expressions call `name`. */
  field?(name: string): ShapeField | undefined;
  /** Set for lists. */
  readonly item?: Shape;
  /** Set for maps with string keys. */
  readonly entry?: Shape;
}

export interface ShapeField {
  /** The name in JSON. */
  readonly key: string;
  readonly shape: Shape;
}
