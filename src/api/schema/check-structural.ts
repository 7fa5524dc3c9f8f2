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
import { type JudgedPlace, placeOfRoot, placeOfRules, shapePlace } from './judged-place.ts';
import { checkUniqueItems } from './check-unique-items.ts';
import { canonicalText, isChoice, isMultiple, jsonType } from './go-json-values.ts';
import type { Shape, Struct } from './schema.ts';

/** What judging texts takes besides this folder. */
export interface TextChecks {
  /** Whether a text matches a pattern in the syntax of RE2; a string says what is wrong with the pattern. */
  matches(pattern: string, text: string): boolean | string;
  /** The check of a format of OpenAPI; undefined when the server does not know it. */
  format(name: string): ((text: string) => boolean) | undefined;
}

/**
 * What a structural type says about a value, in the words of OpenAPI's validation, which upstream has for custom
 * resources. The same checks in the same order; where upstream goes through a map in random order, by name.
 *
 * Bounded: every value is looked at once for each schema that describes its place. Recursion is as deep as the schema.
 */
export function checkStructural(value: unknown, struct: Struct, checks: TextChecks): readonly FieldError[] {
  const judge = new Judge(checks);
  judge.judge(value, placeOfRoot(struct), '');
  return [...judge.errors, ...checkUniqueItems(value, { kind: 'struct', struct })];
}

/** The same for a value of any place, such as a default; fields are named from there on. */
export function checkStructuralPlace(value: unknown, shape: Shape, checks: TextChecks): readonly FieldError[] {
  const judge = new Judge(checks);
  judge.judge(value, shapePlace(shape), '');
  return [...judge.errors, ...checkUniqueItems(value, shape)];
}

/** Collects what is wrong, and counts what is right: of several schemas, the one that fits best tells its errors. */
class Judge {
  readonly errors: FieldError[] = [];
  matches = 0;
  readonly #checks: TextChecks;
  readonly #told = new Set<string>();

  constructor(checks: TextChecks) {
    this.#checks = checks;
  }

  judge(value: unknown, place: JudgedPlace, path: string): void {
    this.#checkType(value, place, path);
    if (value === null) {
      this.#checkChoice(value, place.rules, path);
      return;
    }
    if (place.hasAlternatives) this.#checkAlternatives(value, place.rules, path);
    if (typeof value === 'string') this.#checkText(value, place.rules, path);
    if (typeof value === 'number' || typeof value === 'bigint') this.#checkNumber(value, place, path);
    if (Array.isArray(value)) this.#checkList(value, place, path);
    this.#checkChoice(value, place.rules, path);
    if (isPlainObject(value)) this.#checkObject(value, place, path);
    this.matches += 4; // for the checks that apply to any value, and for the whole
  }

  /** What several schemas say alike is told once. */
  #add(error: FieldError): void {
    const key = `${error.reason} ${error.field} ${error.detail}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.errors.push(error);
  }

  #wrong(path: string, value: unknown, words: string): void {
    this.#add(invalidValue(path, value, `${path} in body ${words}`));
  }

  /** What is wrong with a whole has no path upstream. */
  #wrongWhole(words: string): void {
    this.#add(invalidValue('<nil>', '', words));
  }

  #checkType(value: unknown, { types, isNullable, rules }: JudgedPlace, path: string): void {
    const format = this.#formatOf(types, rules);
    if (types.length === 0 && (format === '' || value === null)) return;
    const type = jsonType(value);
    const isFit =
      value === null
        ? isNullable
        : types.includes(type) ||
          (type === 'integer' && types.includes('number')) ||
          (format !== '' &&
            (type === 'string' || type === 'array') &&
            !types.includes('number') &&
            !types.includes('integer'));
    this.matches += isFit ? 2 : 1;
    if (isFit) return;
    const expected =
      format !== '' && type !== 'string' && type !== 'array' && value !== null ? format : types.join(',');
    const found = expected === format && format !== '' ? (GO_FORMATS[type] ?? '') : type;
    this.#add(typeInvalid(path, found, `${path} in body must be of type ${expected}: ${JSON.stringify(found)}`));
  }

  /** Formats that the server does not know for a type count as none. */
  #formatOf(types: readonly string[], { format = '' }: NestedRules): string {
    if (format === '' || types.length > 1) return format;
    const [type = 'string'] = types;
    if (type === 'string') return this.#checks.format(format) === undefined ? '' : format;
    const known = NUMBER_FORMATS[type];
    return known === undefined || known.includes(format) ? format : '';
  }

  #checkAlternatives(value: unknown, { anyOf = [], oneOf = [], allOf = [], not }: NestedRules, path: string): void {
    const judged = (rules: NestedRules): Judge => {
      const judge = new Judge(this.#checks);
      judge.judge(value, placeOfRules(rules), path);
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

  /** Of length and pattern, only the first thing that is wrong is told. */
  #checkText(value: string, { maxLength, minLength, pattern = '', format = '' }: NestedRules, path: string): void {
    this.matches += 1;
    const length = maxLength === undefined && minLength === undefined ? 0 : codePointCount(value);
    if (maxLength !== undefined && length > maxLength) this.#add(tooLong(path, maxLength));
    else if (minLength !== undefined && length < minLength)
      this.#wrong(path, value, `should be at least ${minLength} chars long`);
    else if (pattern !== '') this.#checkPattern(value, pattern, path);
    const hasFormat = format === '' ? undefined : this.#checks.format(format);
    if (hasFormat === undefined) return;
    this.matches += 1;
    if (hasFormat(value)) return;
    const words = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    this.#add(typeInvalid(path, value, words));
  }

  #checkPattern(value: string, pattern: string, path: string): void {
    const answer = this.#checks.matches(pattern, value);
    if (answer === true) return;
    const why = answer === false ? '' : `, but pattern is invalid: ${answer}`;
    this.#wrong(path, value, `should match '${pattern}${why}'`);
  }

  #checkNumber(value: number | bigint, { types, rules }: JudgedPlace, path: string): void {
    this.matches += 2;
    const type = types.length === 1 ? types[0] : undefined;
    const isWhole = typeof value === 'bigint' || Number.isInteger(value);
    if (type === 'integer' && !(isWhole && (rules.format !== 'int32' || Number(value) === (Number(value) | 0)))) {
      const format =
        rules.format === 'int32' || rules.format === 'int64' ? `with format ${rules.format}` : '(default format)';
      this.#wrongWhole(`Checked value must be of type integer ${format} in ${path}`);
    }
    /** Upstream compares whole numbers with the whole part of a bound. */
    const bound = (limit: number): readonly [limit: number, text: string] =>
      isWhole && (type !== 'integer' || Number.isInteger(limit))
        ? [Math.trunc(limit), String(Math.trunc(limit))]
        : [limit, goFloat(limit)];
    const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = rules;
    if (multipleOf !== undefined) {
      const [factor, text] = bound(multipleOf);
      if (factor <= 0)
        this.#add(invalidValue(path, 0, `factor MultipleOf declared for ${path} must be positive: ${text}`));
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

  #checkList(
    value: readonly unknown[],
    { parts: { item }, rules: { minItems, maxItems, uniqueItems } }: JudgedPlace,
    path: string,
  ): void {
    this.matches += 2;
    if (item !== undefined) for (const [index, one] of value.entries()) this.judge(one, item, `${path}[${index}]`);
    const size = value.length;
    if (minItems !== undefined && size < minItems) this.#wrong(path, size, `should have at least ${minItems} items`);
    if (maxItems !== undefined && size > maxItems) this.#add(tooMany(path, size, maxItems));
    if (uniqueItems === true && new Set(value.map((one) => canonicalText(one))).size < size)
      this.#wrong(path, '', "shouldn't contain duplicates");
  }

  #checkChoice(value: unknown, { enum: choices = [] }: NestedRules, path: string): void {
    if (choices.length === 0 || choices.some((choice) => isChoice(value, choice))) return;
    const texts = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
    this.#add(notSupported(path, value, texts));
  }

  #checkObject(value: PlainObject, { parts: { members, others }, rules }: JudgedPlace, path: string): void {
    this.matches += 1;
    const names = Object.keys(value);
    const { minProperties, maxProperties, required: needed = [] } = rules;
    if (minProperties !== undefined && names.length < minProperties)
      this.#wrong(path, names.length, `should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && names.length > maxProperties)
      this.#add(tooMany(path, names.length, maxProperties));
    const start = path === '' ? '' : `${path}.`;
    for (const name of names) {
      const place = members?.get(name) ?? others;
      if (place !== undefined) this.judge(value[name], place, `${start}${name}`);
    }
    for (const name of needed) if (!Object.hasOwn(value, name)) this.#add(required(`${start}${name}`));
  }
}

/** Of schemas that all do not fit, the first with the most that does. */
function best(results: readonly Judge[]): Judge | undefined {
  return results.reduce<Judge | undefined>(
    (one, next) => (one === undefined || next.matches > one.matches ? next : one),
    undefined,
  );
}

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

const GO_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };
