import { DecodeError } from '../../base/index.ts';

/** An error of Go's decoder. */
export type GoError =
  /**
   * A value of the wrong type. `fields` is its path from the root of the decoder that found it; `struct` has the last
   * field.
   */
  | { readonly kind: 'type'; readonly value: string; readonly type: string; readonly place: Place }
  /** A text that a type's own decoder refuses. */
  | { readonly kind: 'text'; readonly message: string };

export interface Place {
  readonly struct: string;
  readonly fields: readonly string[];
}

/** Ends decoding at once. */
export class Abort extends Error {
  override readonly name = 'Abort';
  readonly goError: GoError;

  constructor(goError: GoError) {
    super('decoding ended');
    this.goError = goError;
  }
}

/** The error of a nested decoder, as the outer one reports it: fields are concatenated, the struct stays. */
export function within(place: Place, goError: GoError): GoError {
  if (goError.kind === 'text') return goError;
  const fields = [...place.fields, ...goError.place.fields];
  return { ...goError, place: { struct: place.struct, fields } };
}

export function toDecodeError(goError: GoError): DecodeError {
  if (goError.kind === 'text') return new DecodeError('value', goError.message);
  const { value, type, place } = goError;
  const isInStruct = place.struct !== '' || place.fields.length > 0;
  const target = isInStruct ? `struct field ${place.struct}.${place.fields.join('.')}` : 'value';
  return new DecodeError('mismatch', `json: cannot unmarshal ${value} into Go ${target} of type ${type}`);
}
