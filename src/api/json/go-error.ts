import { DecodeError } from '../../base/index.ts';

/** What Go's decoder found wrong. */
export type GoError =
  /** A value of the wrong type. `fields` is where, from the root of the decoder that found it; `struct` has the last field. */
  | { readonly kind: 'type'; readonly value: string; readonly type: string; readonly place: Place }
  /** A text that a type with its own decoder does not take. */
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

/** The error of a decoder inside another, as the outer one tells it: fields are added up, the struct is its own. */
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
