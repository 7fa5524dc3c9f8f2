import { compareUtf8 } from '../../base/index.ts';
import { checkLabelKey, checkRequirement, type LabelOperator, type LabelRequirement } from './label-requirement.ts';
import { LabelMatcher } from './label-selector.ts';
import { ValueError } from './value-error.ts';

/** `word` is a key, a value, or one of the two operators that are words. */
interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

/** Spaces, then a symbol or a word. A NUL after it counts as a space; anywhere else it ends the text. */
const TOKEN = /[ \t\r\n]*(?:([=!]=|[=!(),><])|([^=!(),><\0 \t\r\n]+))\0?/gy;
const BINARY: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/** Maximum number of requirements; upstream accepts what fits into a request's headers. */
const MAX_REQUIREMENTS = 10_000;

/** Parses a selector such as `app=web,tier in (front,back),!canary,weight>3`. */
export function parseLabelSelector(text: string): LabelMatcher | ValueError {
  const requirements = new SelectorParser(tokenize(text)).parse();
  return requirements instanceof ValueError ? requirements : new LabelMatcher(requirements);
}

function tokenize(text: string): readonly Token[] {
  return Array.from(text.matchAll(TOKEN), ([, symbol, word = '']) =>
    symbol === undefined ? { kind: 'word', text: word } : { kind: 'symbol', text: symbol },
  );
}

class SelectorParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): readonly LabelRequirement[] | ValueError {
    const requirements: LabelRequirement[] = [];
    while (this.#next().kind !== 'end') {
      if (!this.#startsRequirement()) return unexpected(this.#next(), "!, identifier, or 'end of string'");
      const requirement = this.#parseRequirement();
      if (requirement instanceof ValueError) {
        return new ValueError(`unable to parse requirement: ${requirement.message}`);
      }
      requirements.push(requirement);
      if (requirements.length > MAX_REQUIREMENTS) {
        return new ValueError(`found more than ${MAX_REQUIREMENTS} requirements`);
      }
      const behind = this.#take();
      if (behind.kind === 'end') break;
      if (!isSymbol(behind, ',')) return unexpected(behind, "',' or 'end of string'");
      if (!this.#startsRequirement()) return unexpected(this.#next(), "identifier after ','");
    }
    return requirements;
  }

  #parseRequirement(): LabelRequirement | ValueError {
    const isNegated = isSymbol(this.#next(), '!');
    if (isNegated) this.#take();
    const key = this.#take();
    if (key.kind !== 'word') return unexpected(key, 'identifier');
    const problem = checkLabelKey(key.text);
    if (problem !== undefined) return problem;
    if (isNegated) return checked({ key: key.text, operator: '!', values: [] });
    if (this.#endsRequirement()) return checked({ key: key.text, operator: 'exists', values: [] });

    const sign = this.#take();
    const operator = BINARY.get(sign.text);
    if (operator === undefined) return unexpected(sign, [...BINARY.values()].join(', '));
    const values = operator === 'in' || operator === 'notin' ? this.#parseValues() : this.#parseValue();
    return values instanceof ValueError ? values : checked({ key: key.text, operator, values });
  }

  #parseValue(): readonly string[] | ValueError {
    if (this.#endsRequirement()) return [''];
    const value = this.#take();
    return value.kind === 'word' ? [value.text] : unexpected(value, 'identifier');
  }

  /** A list in parentheses. Nothing between two commas, or next to a parenthesis, is the empty value. */
  #parseValues(): readonly string[] | ValueError {
    const open = this.#take();
    if (!isSymbol(open, '(')) return new ValueError(`found '${open.text}' expected: '('`);
    const first = this.#next();
    if (isSymbol(first, ')')) {
      this.#take();
      return [''];
    }
    if (first.kind !== 'word' && !isSymbol(first, ',')) return unexpected(first, "',', ')' or identifier");
    const values = new Set<string>();
    while (!isSymbol(this.#next(), ')')) {
      const problem = this.#parseListItem(values);
      if (problem !== undefined) return problem;
    }
    this.#take();
    return [...values].toSorted(compareUtf8);
  }

  #parseListItem(values: Set<string>): ValueError | undefined {
    const item = this.#take();
    const behind = this.#next();
    if (item.kind === 'word') {
      values.add(item.text);
      if (isSymbol(behind, ',') || isSymbol(behind, ')')) return undefined;
      return unexpected(behind, "',' or ')'");
    }
    if (!isSymbol(item, ',')) return unexpected(item, "',', or identifier");
    if (values.size === 0 || isSymbol(behind, ')') || isSymbol(behind, ',')) values.add('');
    return undefined;
  }

  #startsRequirement(): boolean {
    return this.#next().kind === 'word' || isSymbol(this.#next(), '!');
  }

  #endsRequirement(): boolean {
    return this.#next().kind === 'end' || isSymbol(this.#next(), ',');
  }

  #next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#next();
    this.#at++;
    return token;
  }
}

function isSymbol(token: Token, text: string): boolean {
  return token.kind === 'symbol' && token.text === text;
}

function unexpected({ text }: Token, expected: string): ValueError {
  return new ValueError(`found '${text}', expected: ${expected}`);
}

function checked(requirement: LabelRequirement): LabelRequirement | ValueError {
  return checkRequirement(requirement) ?? requirement;
}
