import { trimGo } from '../../api/values/index.ts';
import {
  binary,
  declareFunction,
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  unary,
  variadic,
} from '../check/declarations.ts';
import { DYN, INT, listOf, STRING } from '../type-terms/index.ts';
import { CelError, goText, type List, listItems, type Value } from '../values/index.ts';
import { formatText } from './format/index.ts';
import type { Library } from './library.ts';
import { fieldContent } from './protobuf/field-conversion.ts';
import { charAt, indexOf, lastIndexOf, replaceText, splitText, substring } from './text-functions.ts';

/** The functions on strings. `join` and `format` came with later versions of the library. */
export function stringsLibrary(version: 0 | 2): Library {
  return {
    functions: version === 0 ? [...basics(), join(convertedTexts)] : [...basics(), ...quoting(), join(checkedTexts)],
  };
}

/** An implementation for arguments that are known to be strings and ints. */
const on = (apply: (...args: readonly never[]) => Value): Implementation =>
  variadic(apply as (...args: readonly Value[]) => Value);
const on1 = (apply: (text: string) => Value): Implementation => unary((text) => apply(text as string));
const on2 = <T>(apply: (text: string, other: T) => Value): Implementation =>
  binary((text, other) => apply(text as string, other as T));

type Position = number | bigint;

function basics(): readonly FunctionDeclaration[] {
  return [
    declareFunction('charAt', [member('string_char_at_int', [STRING, INT], STRING, on2<Position>(charAt))]),
    declareFunction('indexOf', [
      member(
        'string_index_of_string',
        [STRING, STRING],
        INT,
        on2<string>((text, part) => indexOf(text, part, 0)),
      ),
      member('string_index_of_string_int', [STRING, STRING, INT], INT, on(indexOf)),
    ]),
    declareFunction('lastIndexOf', [
      member(
        'string_last_index_of_string',
        [STRING, STRING],
        INT,
        on2<string>((text, part) => lastIndexOf(text, part, undefined)),
      ),
      member('string_last_index_of_string_int', [STRING, STRING, INT], INT, on(lastIndexOf)),
    ]),
    declareFunction('lowerAscii', [
      member(
        'string_lower_ascii',
        [STRING],
        STRING,
        on1((text) => text.replaceAll(/[A-Z]+/g, (found) => found.toLowerCase())),
      ),
    ]),
    declareFunction('replace', [
      member(
        'string_replace_string_string',
        [STRING, STRING, STRING],
        STRING,
        on((...[text, old, fresh]: readonly [string, string, string]) => replaceText(text, old, { fresh, limit: -1 })),
      ),
      member(
        'string_replace_string_string_int',
        [STRING, STRING, STRING, INT],
        STRING,
        on((...[text, old, fresh, limit]: readonly [string, string, string, Position]) =>
          replaceText(text, old, { fresh, limit: Number(limit) }),
        ),
      ),
    ]),
    declareFunction('split', [
      member(
        'string_split_string',
        [STRING, STRING],
        listOf(STRING),
        on2<string>((text, separator) => splitText(text, separator, -1)),
      ),
      member(
        'string_split_string_int',
        [STRING, STRING, INT],
        listOf(STRING),
        on((text: string, separator: string, limit: Position) => splitText(text, separator, Number(limit))),
      ),
    ]),
    declareFunction('substring', [
      member(
        'string_substring_int',
        [STRING, INT],
        STRING,
        on2<Position>((text, start) => substring(text, start, undefined)),
      ),
      member('string_substring_int_int', [STRING, INT, INT], STRING, on(substring)),
    ]),
    declareFunction('trim', [member('string_trim', [STRING], STRING, on1(trimGo))]),
    declareFunction('upperAscii', [
      member(
        'string_upper_ascii',
        [STRING],
        STRING,
        on1((text) => text.replaceAll(/[a-z]+/g, (found) => found.toUpperCase())),
      ),
    ]),
  ];
}

function quoting(): readonly FunctionDeclaration[] {
  return [
    declareFunction('format', [
      member(
        'string_format',
        [STRING, listOf(DYN)],
        STRING,
        variadic((text, args) => formatText(text as string, listItems(args as List))),
      ),
    ]),
    declareFunction('strings.quote', [overload('strings_quote', [STRING], STRING, on1(quote))]),
  ];
}

type Texts = (list: Value) => readonly string[] | CelError;

function join(textsOf: Texts): FunctionDeclaration {
  const joined = (list: Value, separator: string): Value => {
    const texts = textsOf(list);
    return texts instanceof CelError ? texts : texts.join(separator);
  };
  return declareFunction('join', [
    member(
      'list_join',
      [listOf(STRING)],
      STRING,
      unary((list) => joined(list, '')),
    ),
    member(
      'list_join_string',
      [listOf(STRING), STRING],
      STRING,
      binary((list, separator) => joined(list, separator as string)),
    ),
  ]);
}

const checkedTexts: Texts = (list) => {
  const texts = listItems(list as List);
  const wrong = texts.find((text) => typeof text !== 'string');
  return wrong === undefined ? (texts as string[]) : new CelError(`join: invalid input: ${goText(wrong)}`);
};

/** The first version also joins what can be converted. */
const convertedTexts: Texts = (list) => {
  const texts = listItems(list as List).map((item) => fieldContent(item, 'string'));
  return texts.find((text) => text instanceof CelError) ?? (texts as string[]);
};

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): Value {
  return `"${text.toWellFormed().replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (character) => QUOTED[character] as string)}"`;
}
