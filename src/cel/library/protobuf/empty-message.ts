import { FieldedValue } from '../../evaluate/qualify.ts';
import { objectType, type Type } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, type Value } from '../../values/index.ts';

export const EMPTY_TYPE = objectType('google.protobuf.Empty');

/** `google.protobuf.Empty{}`, the only message that is not converted to an ordinary value. */
export class EmptyMessage extends FieldedValue {
  readonly goName = '*types.protoObj';
  override readonly type = EMPTY_TYPE;

  get isZero(): boolean {
    return true;
  }

  override get typeValue(): Type {
    return EMPTY_TYPE;
  }

  get(key: Value): CelError {
    return typeof key === 'string' ? new CelError(`no such field '${key}'`) : noSuchOverload();
  }

  isSet(key: Value): CelError {
    return this.get(key);
  }

  equals(other: Value): boolean {
    return other instanceof EmptyMessage;
  }
}
