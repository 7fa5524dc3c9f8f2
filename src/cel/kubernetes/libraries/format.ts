import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  maskTrailingDash,
  qualifiedNameProblems,
} from '../../../api/values/index.ts';
import { declareFunction, member, overload } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { listOf, objectType, optionalOf, STRING } from '../../type-terms/index.ts';
import { type CelError, noSuchOverload, NONE, Opaque, Optional, type Value } from '../../values/index.ts';
import { isBase64, isDate, isDateTime, isUuid } from '../string-formats.ts';
import { urlProblem } from './url.ts';

export const FORMAT_TYPE = objectType('kubernetes.NamedFormat');

/** A named format in an expression. */
export class FormatValue extends Opaque {
  readonly goName = 'cel.Format';
  override readonly type = FORMAT_TYPE;
  readonly name: string;
  /** The pattern length that validation is charged for. */
  readonly patternSize: number;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, patternSize: number, problems: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.problems = problems;
  }

  override get isUnhashable(): boolean {
    return true;
  }

  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? this.name === other.name : noSuchOverload();
  }
}

const UUID_PATTERN = '(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$';
const DATE_TIME_PATTERN = '^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$';

/** The formats, by their names in expressions. */
function formats(): ReadonlyMap<string, FormatValue> {
  const checked = (holds: (text: string) => boolean, message: string) => (text: string) =>
    holds(text) ? [] : [message];
  const prefix = (problems: (text: string) => readonly string[]) => (text: string) => problems(maskTrailingDash(text));
  return new Map([
    ['dns1123Label', new FormatValue('DNS1123Label', 30, dns1123LabelProblems)],
    ['dns1123Subdomain', new FormatValue('DNS1123Subdomain', 60, dns1123SubdomainProblems)],
    ['dns1035Label', new FormatValue('DNS1035Label', 30, dns1035LabelProblems)],
    ['qualifiedName', new FormatValue('QualifiedName', 60, qualifiedNameProblems)],
    ['dns1123LabelPrefix', new FormatValue('DNS1123LabelPrefix', 30, prefix(dns1123LabelProblems))],
    ['dns1123SubdomainPrefix', new FormatValue('DNS1123SubdomainPrefix', 60, prefix(dns1123SubdomainProblems))],
    ['dns1035LabelPrefix', new FormatValue('DNS1035LabelPrefix', 30, prefix(dns1035LabelProblems))],
    ['labelValue', new FormatValue('LabelValue', 40, labelValueProblems)],
    ['uri', new FormatValue('URI', 1103, uriProblems)],
    ['uuid', new FormatValue('uuid', UUID_PATTERN.length, checked(isUuid, 'does not match the UUID format'))],
    ['byte', new FormatValue('byte', 84, checked(isBase64, 'invalid base64'))],
    ['date', new FormatValue('date', DATE_TIME_PATTERN.length, checked(isDate, 'invalid date'))],
    ['datetime', new FormatValue('datetime', DATE_TIME_PATTERN.length, checked(isDateTime, 'invalid datetime'))],
  ]);
}

function uriProblems(text: string): readonly string[] {
  const problem = urlProblem(text);
  return problem === undefined ? [] : [problem.message];
}

/** `format.dns1123Label()` and the others, `format.named` and `validate`. */
export function formatLibrary(): Library {
  const known = formats();
  return {
    functions: [
      ...[...known].map(([name, format]) =>
        declareFunction(`format.${name}`, [overload(`format.${name}`, [], FORMAT_TYPE, () => format)]),
      ),
      declareFunction('format.named', [
        overload('format-named', [STRING], optionalOf(FORMAT_TYPE), (name) =>
          known.has(name as string) ? new Optional(known.get(name as string)) : NONE,
        ),
      ]),
      declareFunction('validate', [
        member('format-validate', [FORMAT_TYPE, STRING], optionalOf(listOf(STRING)), validate),
      ]),
    ],
  };
}

function validate(format: Value, text: Value): Value {
  if (!(format instanceof FormatValue) || typeof text !== 'string') return noSuchOverload();
  const problems = format.problems(text);
  return problems.length === 0 ? NONE : new Optional(problems);
}
