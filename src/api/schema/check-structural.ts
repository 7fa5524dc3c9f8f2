import { codePointCount } from '../../base/index.ts';
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field-error.ts';
import { isPlainObject, type PlainObject } from '../json/plain-object.ts';
import { goFloat } from '../patch/go-value-text.ts';
import type { NestedRules } from './constraints.ts';
import type { Correlation } from './correlation.ts';
import type { TextChecks } from './text-checks.ts';
import { type JudgedPlace, placeOfRules } from './judged-place.ts';
import {
  canonicalText,
  GO_FORMATS,
  isChoice,
  isMultiple,
  isNearlyWhole,
  jsonType,
  NOWHERE,
  NUMBER_FORMATS,
} from './go-json-values.ts';

/**
 * The problems of a value of a structural type, in the words of the OpenAPI validation that upstream uses for custom
 * resources. The same checks in the same order; where upstream iterates a map in random order, by name.
 *
 * Bounded: every value is checked once for each schema that describes its place. Recursion is as deep as the schema.
 */
export function checkStructural(value: unknown, place: JudgedPlace, options: StructuralCheck): readonly FieldError[] {
  const judge = new Judge(options);
  judge.judge(value, { place, path: '', correlation: options.correlation });
  return judge.errors;
}

export interface StructuralCheck {
  readonly checks: TextChecks;
  /** The path of the value; not repeated in the details of errors. */
  readonly base?: string | undefined;
  /** The previous value: unchanged parts are not reported. */
  readonly correlation?: Correlation | undefined;
  /** Allows any value for an int-or-string: upstream validates defaults with schemas in which these have no type. */
  readonly allowsAnyEither?: boolean;
}

/** A place in the type, and its path in the value. */
interface Spot {
  readonly place: JudgedPlace;
  readonly path: string;
  readonly correlation?: Correlation | undefined;
}

/** Collects problems, and counts matches: of several schemas, the one with the most matches reports its errors. */
class Judge {
  readonly errors: FieldError[] = [];
  matches = 0;
  readonly #options: StructuralCheck;
  readonly #checks: TextChecks;
  readonly #base: string;
  readonly #reported = new Set<string>();

  constructor(options: StructuralCheck) {
    this.#options = options;
    this.#checks = options.checks;
    this.#base = options.base ?? '';
  }

  judge(value: unknown, spot: Spot): void {
    if (spot.correlation?.isUnchanged === true) return;
    const { place, path } = spot;
    this.#checkType(value, place, path);
    if (value === null) {
      this.#checkChoice(value, place.rules, path);
      return;
    }
    if (place.hasAlternatives) this.#checkAlternatives(value, place.rules, path);
    if (typeof value === 'string') this.#checkText(value, place, path);
    if (typeof value === 'number' || typeof value === 'bigint') this.#checkNumber(value, place, path);
    if (Array.isArray(value)) this.#checkList(value, spot);
    this.#checkChoice(value, place.rules, path);
    if (isPlainObject(value)) this.#checkObject(value, spot);
    this.matches += 4; // for the checks that apply to any value, and for the whole
  }

  /** Errors that several schemas share are reported once. */
  #add(error: FieldError): void {
    const key = `${error.reason} ${error.field} ${error.detail}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.errors.push(error);
  }

  /** The path in messages, without the base. */
  #at(path: string): string {
    if (path === '') return this.#base === '' ? NOWHERE : this.#base;
    return this.#base === '' ? path : `${this.#base}.${path}`;
  }

  #wrong(path: string, value: unknown, words: string): void {
    this.#add(invalidValue(this.#at(path), value, `${path} in body ${words}`));
  }

  /** Errors about a whole value have no path upstream. */
  #wrongWhole(words: string): void {
    this.#add(invalidValue(this.#at(''), '', words));
  }

  #checkType(value: unknown, { types, isNullable, rules }: JudgedPlace, path: string): void {
    const format = this.#formatOf(types, rules);
    if (types.length === 0 && (format === '' || value === null)) return;
    if (types.length > 1 && this.#options.allowsAnyEither === true) return;
    const type = jsonType(value);
    const isFit =
      value === null
        ? isNullable
        : types.includes(type) ||
          (type === 'integer' && types.includes('number')) ||
          (type === 'number' && types.includes('integer') && isNearlyWhole(Number(value))) ||
          (format !== '' &&
            (type === 'string' || type === 'array') &&
            !types.includes('number') &&
            !types.includes('integer'));
    this.matches += isFit ? 2 : 1;
    if (isFit) return;
    const expected =
      format !== '' && type !== 'string' && type !== 'array' && value !== null ? format : types.join(',');
    const found = expected === format && format !== '' ? (GO_FORMATS[type] ?? '') : type;
    this.#add(
      typeInvalid(this.#at(path), found, `${path} in body must be of type ${expected}: ${JSON.stringify(found)}`),
    );
  }

  /** A format that the server does not know for a type is ignored. */
  #formatOf(types: readonly string[], { format = '' }: NestedRules): string {
    const type = types.length === 1 ? types[0] : 'string';
    if (type === 'string') return this.#checks.format(format) === undefined ? '' : format;
    return NUMBER_FORMATS[type ?? '']?.includes(format) === true ? format : '';
  }

  #checkAlternatives(value: unknown, { anyOf = [], oneOf = [], allOf = [], not }: NestedRules, path: string): void {
    const judged = (rules: NestedRules): Judge => {
      const judge = new Judge(this.#options);
      judge.judge(value, { place: placeOfRules(rules), path });
      return judge;
    };
    const name = JSON.stringify(path);
    if (anyOf.length > 0) {
      const results: Judge[] = [];
      for (const rules of anyOf) if (results.push(judged(rules)) > 0 && results.at(-1)?.errors.length === 0) break;
      const fitting = results.find(({ errors }) => errors.length === 0);
      if (fitting === undefined) this.#wrongWhole(`${name} must validate at least one schema (anyOf)`);
      this.#merge(fitting ?? best(results));
    }
    if (oneOf.length > 0) {
      const results = oneOf.map(judged);
      const fitting = results.filter(({ errors }) => errors.length === 0);
      if (fitting.length === 1) {
        this.#merge(fitting[0]);
      } else {
        const found = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
        this.#wrongWhole(`${name} must validate one and only one schema (oneOf). ${found}`);
        if (fitting.length === 0) this.#merge(best(results));
      }
    }
    if (allOf.length > 0) {
      const results = allOf.map(judged);
      for (const result of results) this.#merge(result);
      const failed = results.filter(({ errors }) => errors.length > 0).length;
      const words = failed === results.length ? '. None validated' : '';
      if (failed > 0) this.#wrongWhole(`${name} must validate all the schemas (allOf)${words}`);
    }
    if (not !== undefined && judged(not).errors.length === 0) {
      this.#wrongWhole(`${name} must not validate the schema (not)`);
    }
  }

  #merge(other: Judge | undefined): void {
    if (other === undefined) return;
    for (const error of other.errors) this.#add(error);
    this.matches += other.matches;
  }

  /** Of length and pattern, only the first problem is reported. */
  #checkText(value: string, { types, rules }: JudgedPlace, path: string): void {
    this.matches += 1;
    const { maxLength, minLength, pattern = '' } = rules;
    const format = this.#formatOf(types, rules);
    const length = maxLength === undefined && minLength === undefined ? 0 : codePointCount(value);
    if (maxLength !== undefined && length > maxLength) this.#add(tooLong(this.#at(path), maxLength));
    else if (minLength !== undefined && length < minLength)
      this.#wrong(path, value, `should be at least ${minLength} chars long`);
    else if (pattern !== '') this.#checkPattern(value, pattern, path);
    const hasFormat = format === '' ? undefined : this.#checks.format(format);
    if (hasFormat === undefined) return;
    this.matches += 1;
    if (hasFormat(value)) return;
    const words = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    this.#add(typeInvalid(this.#at(path), value, words));
  }

  #checkPattern(value: string, pattern: string, path: string): void {
    const answer = this.#checks.matches(pattern, value);
    if (answer === true) return;
    const why = typeof answer === 'string' ? `, but pattern is invalid: ${answer}` : '';
    const isTooLong = answer === undefined ? ', but is too long to be matched with it' : '';
    this.#wrong(path, value, `should match '${pattern}${why}'${isTooLong}`);
  }

  #checkNumber(value: number | bigint, { types, rules }: JudgedPlace, path: string): void {
    this.matches += 2;
    const type = types.length === 1 ? types[0] : undefined;
    const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
    if (type === 'integer' && !(isWhole && (rules.format !== 'int32' || Number(value) === (Number(value) | 0)))) {
      const format =
        rules.format === 'int32' || rules.format === 'int64' ? `with format ${rules.format}` : '(default format)';
      this.#wrongWhole(`Checked value must be of type integer ${format} in ${path}`);
    }
    /** Upstream compares integers with the integral part of a bound. */
    const bound = (limit: number): readonly [limit: number, text: string] =>
      isWhole && (type !== 'integer' || Number.isInteger(limit))
        ? [Math.trunc(limit), String(Math.trunc(limit))]
        : [limit, goFloat(limit)];
    const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = rules;
    if (multipleOf !== undefined) {
      const [factor, text] = bound(multipleOf);
      if (factor <= 0)
        this.#add(invalidValue(this.#at(path), 0, `factor MultipleOf declared for ${path} must be positive: ${text}`));
      else if (!isMultiple(value, factor)) this.#wrong(path, value, `should be a multiple of ${text}`);
    }
    if (minimum !== undefined) {
      const [least, text] = bound(minimum);
      if (value < least || (exclusiveMinimum && value === least))
        this.#wrong(path, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${text}`);
    }
    if (maximum !== undefined) {
      const [most, text] = bound(maximum);
      if (value > most || (exclusiveMaximum && value === most))
        this.#wrong(path, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${text}`);
    }
  }

  #checkList(value: readonly unknown[], { place, path, correlation }: Spot): void {
    this.matches += 2;
    const {
      parts: { item },
      rules: { minItems, maxItems, uniqueItems },
    } = place;
    if (item !== undefined) {
      for (const [index, one] of value.entries())
        this.judge(one, { place: item, path: `${path}[${index}]`, correlation: correlation?.index(index) });
    }
    const size = value.length;
    if (minItems !== undefined && size < minItems) this.#wrong(path, size, `should have at least ${minItems} items`);
    if (maxItems !== undefined && size > maxItems) this.#add(tooMany(this.#at(path), size, maxItems));
    if (uniqueItems === true && new Set(value.map((one) => canonicalText(one))).size < size)
      this.#wrong(path, '', "shouldn't contain duplicates");
  }

  #checkChoice(value: unknown, { enum: choices = [] }: NestedRules, path: string): void {
    if (choices.length === 0 || choices.some((choice) => isChoice(value, choice))) return;
    const texts = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
    this.#add(notSupported(this.#at(path), value, texts));
  }

  #checkObject(value: PlainObject, { place, path, correlation }: Spot): void {
    this.matches += 1;
    const {
      parts: { members, others },
      rules,
    } = place;
    const names = Object.keys(value);
    const { minProperties, maxProperties, required: needed = [] } = rules;
    if (minProperties !== undefined && names.length < minProperties)
      this.#wrong(path, names.length, `should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && names.length > maxProperties)
      this.#add(tooMany(this.#at(path), names.length, maxProperties));
    const start = path === '' ? '' : `${path}.`;
    for (const name of names) {
      const inner = members?.get(name) ?? others;
      if (inner === undefined) continue;
      // Both versions of an object were converted to the same type, so these two are always right.
      const isType = path === '' && (name === 'apiVersion' || name === 'kind');
      const was = isType ? undefined : correlation?.key(name);
      this.judge(value[name], { place: inner, path: `${start}${name}`, correlation: was });
    }
    for (const name of needed) if (!Object.hasOwn(value, name)) this.#add(required(this.#at(`${start}${name}`)));
  }
}

/** If no schema matches, the first with the most matches. */
function best(results: readonly Judge[]): Judge | undefined {
  return results.reduce<Judge | undefined>(
    (one, next) => (one === undefined || next.matches > one.matches ? next : one),
    undefined,
  );
}
