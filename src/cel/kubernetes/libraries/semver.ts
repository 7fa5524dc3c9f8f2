import {
  declareFunction,
  type FunctionDeclaration,
  member,
  overload,
  type Overload,
} from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, INT, objectType, STRING, type Type } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, Opaque, unconvertible, type Value } from '../../values/index.ts';
import { compareSemver, formatSemver, parseSemver, parseSemverTolerantly, type SemanticVersion } from '../semver.ts';

export const SEMVER_TYPE = objectType('kubernetes.Semver');

/** A semantic version in an expression. */
export class SemverValue extends Opaque {
  readonly goName = 'cel.Semver';
  override readonly type = SEMVER_TYPE;
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  override get isUnhashable(): boolean {
    return true;
  }

  equals(other: Value): boolean | CelError {
    return other instanceof SemverValue ? compareSemver(this.version, other.version) === 0 : noSuchOverload();
  }

  get native(): Value {
    return unconvertible('semver.Version', this.toString());
  }

  override toString(): string {
    return formatSemver(this.version);
  }
}

/** `semver`, `isSemver`, the comparison of versions, and their numbers. */
export function semverLibrary(): Library {
  return {
    functions: [
      declareFunction('semver', [
        overload('string_to_semver', [STRING], SEMVER_TYPE, (text) => toSemver(text, false)),
        overload('string_bool_to_semver', [STRING, BOOL], SEMVER_TYPE, toSemver),
      ]),
      declareFunction('isSemver', [
        overload('is_semver_string', [STRING], BOOL, (text) => toSemver(text, false) instanceof SemverValue),
        overload(
          'is_semver_string_bool',
          [STRING, BOOL],
          BOOL,
          (text, isTolerant) => toSemver(text, isTolerant) instanceof SemverValue,
        ),
      ]),
      declareFunction('isGreaterThan', [comparison('semver_is_greater_than', BOOL, (order) => order === 1)]),
      declareFunction('isLessThan', [comparison('semver_is_less_than', BOOL, (order) => order === -1)]),
      declareFunction('compareTo', [comparison('semver_compare_to', INT, (order) => order)]),
      ...['major', 'minor', 'patch'].map((name, at) => numberOf(name, at)),
    ],
  };
}

function toSemver(text: Value, isTolerant: Value): SemverValue | CelError {
  const version = isTolerant === true ? parseSemverTolerantly(text as string) : parseSemver(text as string);
  return typeof version === 'string' ? new CelError(version) : new SemverValue(version);
}

function comparison(id: string, result: Type, answer: (order: number) => Value): Overload {
  return member(id, [SEMVER_TYPE, SEMVER_TYPE], result, (left, right) => {
    if (!(left instanceof SemverValue) || !(right instanceof SemverValue)) return noSuchOverload();
    return answer(compareSemver(left.version, right.version));
  });
}

function numberOf(name: string, at: number): FunctionDeclaration {
  const read = (value: Value): Value => {
    if (!(value instanceof SemverValue)) return noSuchOverload();
    const signed = BigInt.asIntN(64, value.version.numbers[at] as bigint); // Kubernetes converts without a check
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  };
  return declareFunction(name, [member(`semver_${name}`, [SEMVER_TYPE], INT, read)]);
}
