import { binary, declareFunction, type FunctionDeclaration, overload, unary } from '../../check/declarations.ts';
import { Operator } from '../../syntax/index.ts';
import {
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  STRING,
  TIMESTAMP,
  type Type,
  typeParameter,
  UINT,
} from '../../type-terms/index.ts';
import {
  addDuration,
  addInts,
  CelError,
  checkedDuration,
  checkedUint,
  concatenate,
  divideInts,
  Double,
  Duration,
  isList,
  moduloInts,
  multiplyInts,
  negateInt,
  noSuchOverload,
  subtractInts,
  subtractTimestamps,
  Timestamp,
  Uint,
  type Value,
} from '../../values/index.ts';

const A = typeParameter('A');
const DIVISION_BY_ZERO = 'division by zero';

/** `+`, `-`, `*`, `/`, `%` and the minus sign. */
export function arithmetic(): readonly FunctionDeclaration[] {
  return [
    declareFunction(
      Operator.add,
      [
        overload('add_bytes', [BYTES, BYTES], BYTES),
        overload('add_double', [DOUBLE, DOUBLE], DOUBLE),
        overload('add_duration_duration', [DURATION, DURATION], DURATION),
        overload('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP),
        overload('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
        overload('add_int64', [INT, INT], INT),
        overload('add_list', [listOf(A), listOf(A)], listOf(A)),
        overload('add_string', [STRING, STRING], STRING),
        overload('add_uint64', [UINT, UINT], UINT),
      ],
      { singleton: { implementation: binary(add), accepts: isAdder } },
    ),
    declareFunction(Operator.divide, numbers('divide', [DOUBLE, INT, UINT]), {
      singleton: { implementation: binary(divide), accepts: isNumber },
    }),
    declareFunction(Operator.modulo, numbers('modulo', [INT, UINT]), {
      singleton: { implementation: binary(modulo), accepts: (value) => isNumber(value) && !(value instanceof Double) },
    }),
    declareFunction(Operator.multiply, numbers('multiply', [DOUBLE, INT, UINT]), {
      singleton: { implementation: binary(multiply), accepts: isNumber },
    }),
    declareFunction(
      Operator.negate,
      [overload('negate_double', [DOUBLE], DOUBLE), overload('negate_int64', [INT], INT)],
      { singleton: { implementation: unary(negate), accepts: isNegatable } },
    ),
    declareFunction(
      Operator.subtract,
      [
        overload('subtract_double', [DOUBLE, DOUBLE], DOUBLE),
        overload('subtract_duration_duration', [DURATION, DURATION], DURATION),
        overload('subtract_int64', [INT, INT], INT),
        overload('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
        overload('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION),
        overload('subtract_uint64', [UINT, UINT], UINT),
      ],
      { singleton: { implementation: binary(subtract), accepts: isSubtractor } },
    ),
  ];
}

const OVERLOAD_NAMES = new Map([
  [DOUBLE, 'double'],
  [INT, 'int64'],
  [UINT, 'uint64'],
]);

function numbers(verb: string, types: readonly Type[]): ReturnType<typeof overload>[] {
  return types.map((type) => overload(`${verb}_${OVERLOAD_NAMES.get(type) ?? ''}`, [type, type], type));
}

function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isNumber(value: Value): boolean {
  return isInt(value) || value instanceof Double || value instanceof Uint;
}

function isSubtractor(value: Value): boolean {
  return isNumber(value) || value instanceof Duration || value instanceof Timestamp;
}

function isAdder(value: Value): boolean {
  return isSubtractor(value) || typeof value === 'string' || value instanceof Uint8Array || isList(value);
}

function isNegatable(value: Value): boolean {
  return isInt(value) || value instanceof Double || value instanceof Duration || typeof value === 'boolean';
}

export function add(left: Value, right: Value): Value {
  if (isInt(left)) return isInt(right) ? addInts(left, right) : noSuchOverload();
  if (typeof left === 'string') return typeof right === 'string' ? left + right : noSuchOverload();
  if (isList(left)) return isList(right) ? concatenateOwn(left, right) : noSuchOverload();
  if (left instanceof Double && right instanceof Double) return new Double(left.value + right.value);
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value + right.value);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.concat([left, right]);
  if (left instanceof Duration && right instanceof Duration) return checkedDuration(left.nanos + right.nanos);
  if (left instanceof Duration && right instanceof Timestamp) return addDuration(right, left.nanos);
  if (left instanceof Timestamp && right instanceof Duration) return addDuration(left, right.nanos);
  return noSuchOverload();
}

/** A list with its own `+`, such as a set. */
export interface CustomAddition {
  plus(other: Value): Value;
}

function concatenateOwn(left: Extract<Value, object>, right: Value): Value {
  if ('plus' in left) return (left as unknown as CustomAddition).plus(right);
  return isList(left) && isList(right) ? concatenate(left, right) : noSuchOverload();
}

function subtract(left: Value, right: Value): Value {
  if (isInt(left)) return isInt(right) ? subtractInts(left, right) : noSuchOverload();
  if (left instanceof Double && right instanceof Double) return new Double(left.value - right.value);
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value - right.value);
  if (left instanceof Duration && right instanceof Duration) return checkedDuration(left.nanos - right.nanos);
  if (left instanceof Timestamp && right instanceof Duration) return subtractDuration(left, right);
  if (left instanceof Timestamp && right instanceof Timestamp) return subtractTimestamps(left, right);
  return noSuchOverload();
}

function subtractDuration(left: Timestamp, right: Duration): Value {
  const negated = checkedDuration(-right.nanos);
  return negated instanceof CelError ? negated : addDuration(left, negated.nanos);
}

function multiply(left: Value, right: Value): Value {
  if (isInt(left)) return isInt(right) ? multiplyInts(left, right) : noSuchOverload();
  if (left instanceof Double && right instanceof Double) return new Double(left.value * right.value);
  return left instanceof Uint && right instanceof Uint ? checkedUint(left.value * right.value) : noSuchOverload();
}

function divide(left: Value, right: Value): Value {
  if (isInt(left)) return isInt(right) ? divideInts(left, right) : noSuchOverload();
  if (left instanceof Double && right instanceof Double) return new Double(left.value / right.value);
  if (!(left instanceof Uint) || !(right instanceof Uint)) return noSuchOverload();
  return right.value === 0n ? new CelError(DIVISION_BY_ZERO) : new Uint(left.value / right.value);
}

function modulo(left: Value, right: Value): Value {
  if (isInt(left)) return isInt(right) ? moduloInts(left, right) : noSuchOverload();
  if (!(left instanceof Uint) || !(right instanceof Uint)) return noSuchOverload();
  return right.value === 0n ? new CelError('modulus by zero') : new Uint(left.value % right.value);
}

function negate(value: Value): Value {
  if (isInt(value)) return negateInt(value);
  if (value instanceof Double) return new Double(-value.value);
  return value instanceof Duration ? checkedDuration(-value.nanos) : noSuchOverload();
}
