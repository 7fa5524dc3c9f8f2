import { DecodeError } from '../../base/index.ts';

/** What Go's decoder found wrong. */
export type GoFailure =
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
  readonly failure: GoFailure;

  constructor(failure: GoFailure) {
    super('decoding ended');
    this.failure = failure;
  }
}

/** The failure of a decoder inside another, as the outer one tells it: fields are added up, the struct is its own. */
export function within(place: Place, failure: GoFailure): GoFailure {
  if (failure.kind === 'text') return failure;
  const fields = [...place.fields, ...failure.place.fields];
  return { ...failure, place: { struct: place.struct, fields } };
}

export function toDecodeError(failure: GoFailure): DecodeError {
  if (failure.kind === 'text') return new DecodeError('value', failure.message);
  const { value, type, place } = failure;
  const isInStruct = place.struct !== '' || place.fields.length > 0;
  const target = isInStruct ? `struct field ${place.struct}.${place.fields.join('.')}` : 'value';
  return new DecodeError('mismatch', `json: cannot unmarshal ${value} into Go ${target} of type ${type}`);
}
