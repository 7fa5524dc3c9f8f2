import { trimGo } from '../../api/values/index.ts';
import { declareFunction, type FunctionDeclaration, member, overload, variadic } from '../check/declarations.ts';
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

type Position = number | bigint;

/** The implementations receive strings and ints: calls are checked against the signatures before. */
function basics(): readonly FunctionDeclaration[] {
  return [
    declareFunction('charAt', [
      member('string_char_at_int', [STRING, INT], STRING, (text, at) => charAt(text as string, at as Position)),
    ]),
    declareFunction('indexOf', [
      member('string_index_of_string', [STRING, STRING], INT, (text, part) =>
        indexOf(text as string, part as string, 0),
      ),
      member('string_index_of_string_int', [STRING, STRING, INT], INT, (text, part, start) =>
        indexOf(text as string, part as string, start as Position),
      ),
    ]),
    declareFunction('lastIndexOf', [
      member('string_last_index_of_string', [STRING, STRING], INT, (text, part) =>
        lastIndexOf(text as string, part as string, undefined),
      ),
      member('string_last_index_of_string_int', [STRING, STRING, INT], INT, (text, part, start) =>
        lastIndexOf(text as string, part as string, start as Position),
      ),
    ]),
    declareFunction('lowerAscii', [
      member('string_lower_ascii', [STRING], STRING, (text) =>
        (text as string).replaceAll(/[A-Z]+/g, (found) => found.toLowerCase()),
      ),
    ]),
    declareFunction('replace', [
      member('string_replace_string_string', [STRING, STRING, STRING], STRING, replaced),
      member('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replaced),
    ]),
    declareFunction('split', [
      member('string_split_string', [STRING, STRING], listOf(STRING), split),
      member('string_split_string_int', [STRING, STRING, INT], listOf(STRING), split),
    ]),
    declareFunction('substring', [
      member('string_substring_int', [STRING, INT], STRING, (text, start) =>
        substring(text as string, start as Position, undefined),
      ),
      member('string_substring_int_int', [STRING, INT, INT], STRING, (text, start, end) =>
        substring(text as string, start as Position, end as Position),
      ),
    ]),
    declareFunction('trim', [member('string_trim', [STRING], STRING, (text) => trimGo(text as string))]),
    declareFunction('upperAscii', [
      member('string_upper_ascii', [STRING], STRING, (text) =>
        (text as string).replaceAll(/[a-z]+/g, (found) => found.toUpperCase()),
      ),
    ]),
  ];
}

function replaced(...[text, old, fresh, limit = -1]: readonly Value[]): Value {
  return replaceText(text as string, old as string, { fresh: fresh as string, limit: Number(limit) });
}

function split(text: Value, separator: Value, limit: Value = -1): Value {
  return splitText(text as string, separator as string, Number(limit));
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
    declareFunction('strings.quote', [overload('strings_quote', [STRING], STRING, (text) => quote(text as string))]),
  ];
}

type Texts = (list: Value) => readonly string[] | CelError;

function join(textsOf: Texts): FunctionDeclaration {
  const joined = (list: Value, separator: string): Value => {
    const texts = textsOf(list);
    return texts instanceof CelError ? texts : texts.join(separator);
  };
  return declareFunction('join', [
    member('list_join', [listOf(STRING)], STRING, (list) => joined(list, '')),
    member('list_join_string', [listOf(STRING), STRING], STRING, (list, separator) =>
      joined(list, separator as string),
    ),
  ]);
}

const checkedTexts: Texts = (list) => {
  const texts = listItems(list as List);
  const wrong = texts.find((text) => typeof text !== 'string');
  return wrong === undefined ? (texts as string[]) : new CelError(`join: invalid input: ${goText(wrong)}`);
};

/** The first version also joins values that can be converted to strings. */
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
