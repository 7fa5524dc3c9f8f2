import type { TypeProvider } from '../check/type-provider.ts';
import { STRUCT_CREATE } from '../cost/factors.ts';
import { CelError, Failure, NONE, Optional, type Value } from '../values/index.ts';
import type { Evaluate } from './frame.ts';
import { wrongEntry } from './literals.ts';

interface PlannedField {
  readonly name: string;
  readonly value: Evaluate;
  readonly isOptional: boolean;
}

/** `Type{field: value, ?other: value}`. */
export function structLiteral(typeName: string, fields: readonly PlannedField[], types: TypeProvider): Evaluate {
  return (frame) => {
    const values = new Map<string, Value>();
    for (const { name, isOptional, value: evaluate } of fields) {
      const value = evaluate(frame);
      const failure = value instanceof Failure ? value : setField(values, name, { value, isOptional });
      if (failure !== undefined) {
        frame.charge(STRUCT_CREATE);
        return failure;
      }
    }
    frame.charge(STRUCT_CREATE);
    const made = types.create?.(typeName, values);
    return made === undefined ? new CelError(`unknown type '${typeName}'`) : made;
  };
}

function setField(
  values: Map<string, Value>,
  name: string,
  { value, isOptional }: { readonly value: Value; readonly isOptional: boolean },
): CelError | undefined {
  if (!isOptional) {
    values.set(name, value);
    return undefined;
  }
  if (!(value instanceof Optional)) return wrongEntry(name, value);
  if (value === NONE || value.value === undefined) values.delete(name);
  else values.set(name, value.value);
  return undefined;
}
