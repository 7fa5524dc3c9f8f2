import {
  binary,
  declareFunction,
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  unary,
} from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, INT, objectType, STRING, type Type } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, Opaque, unconvertible, type Value } from '../../values/index.ts';
import { compareSemver, formatSemver, parseSemver, parseSemverTolerantly, type SemanticVersion } from '../semver.ts';

export const SEMVER_TYPE = objectType('kubernetes.Semver');

/** A semantic version in an expression. */
export class SemverValue extends Opaque {
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  get goName(): string {
    return 'cel.Semver';
  }

  override get type(): Type {
    return SEMVER_TYPE;
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
        overload(
          'string_to_semver',
          [STRING],
          SEMVER_TYPE,
          unary((text) => toSemver(text, false)),
        ),
        overload('string_bool_to_semver', [STRING, BOOL], SEMVER_TYPE, binary(toSemver)),
      ]),
      declareFunction('isSemver', [
        overload(
          'is_semver_string',
          [STRING],
          BOOL,
          unary((text) => toSemver(text, false) instanceof SemverValue),
        ),
        overload(
          'is_semver_string_bool',
          [STRING, BOOL],
          BOOL,
          binary((text, isTolerant) => toSemver(text, isTolerant) instanceof SemverValue),
        ),
      ]),
      declareFunction('isGreaterThan', [
        member(
          'semver_is_greater_than',
          [SEMVER_TYPE, SEMVER_TYPE],
          BOOL,
          comparison((order) => order === 1),
        ),
      ]),
      declareFunction('isLessThan', [
        member(
          'semver_is_less_than',
          [SEMVER_TYPE, SEMVER_TYPE],
          BOOL,
          comparison((order) => order === -1),
        ),
      ]),
      declareFunction('compareTo', [
        member(
          'semver_compare_to',
          [SEMVER_TYPE, SEMVER_TYPE],
          INT,
          comparison((order) => order),
        ),
      ]),
      ...['major', 'minor', 'patch'].map((name, at) => numberOf(name, at)),
    ],
  };
}

function toSemver(text: Value, isTolerant: Value): SemverValue | CelError {
  const version = isTolerant === true ? parseSemverTolerantly(text as string) : parseSemver(text as string);
  return typeof version === 'string' ? new CelError(version) : new SemverValue(version);
}

function comparison(answer: (order: number) => Value): Implementation {
  return binary((left, right) => {
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
  return declareFunction(name, [member(`semver_${name}`, [SEMVER_TYPE], INT, unary(read))]);
}
