import { assignmentOf } from './assignment.ts';
import { ERRORS_TO_OUTPUT, withErrors } from './both-outputs.ts';
import { type HereDocument, readHereDocument } from './here-document.ts';
import { arithmeticAt, nested, parseQuoted, type ScriptCursor, parseWord } from './parse-word.ts';
import {
  type Assignment,
  type CaseBranch,
  type Command,
  type CompoundBody,
  type ListItem,
  type Pipeline,
  type Redirection,
  type Script,
  ScriptError,
  type SimpleCommand,
  type Word,
} from './syntax.ts';

const RESERVED = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}', 'in']);
const OPENING = new Set(['if', 'while', 'until', 'for', 'case', '{', '[[', 'function']);
const REDIRECTION = /(\d{0,2})(<<<|<<-|<<|<&|>&|<>|>>|>\||<|>)/y;
const BOTH_OUTPUTS = /&>>?/y;
const PLAIN_WORD = /[^\s;&|<>()'"\\$`]+/y;
const FUNCTION = /([A-Za-z_][\w.-]*)[ \t]*\([ \t]*\)/y;
const NO_WORD: Word = [];

/** Parses the language of a POSIX shell; with `isBash`, also what bash adds to words. Throws a ScriptError. */
export function parseScript(text: string, isBash = false): Script {
  return new ScriptParser(text, { isBash, depth: 0 }).parse();
}

class ScriptParser implements ScriptCursor {
  readonly text: string;
  readonly isBash: boolean;
  at = 0;
  end: number;
  depth: number;
  /** Here-documents whose text begins with the next line. */
  #hereDocuments: HereDocument[] = [];

  constructor(text: string, { isBash, depth }: { readonly isBash: boolean; readonly depth: number }) {
    this.text = text;
    this.end = text.length;
    this.isBash = isBash;
    this.depth = depth;
  }

  parse(): Script {
    const script = this.#list();
    if (this.at < this.end) throw this.#unexpected();
    return script;
  }

  parseUntilParenthesis(): Script {
    const script = this.#list();
    this.#expect(')');
    return script;
  }

  parseText(text: string): Script {
    return new ScriptParser(text, { isBash: this.isBash, depth: this.depth }).parse();
  }

  /** Up to a closing parenthesis, `;;`, a word that closes a construct, or the end. */
  #list(): Script {
    const items: ListItem[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#isAtEndOfList()) return items;
      const item = this.#item();
      this.#skipBlanks();
      const isBackground = this.#character === '&';
      items.push({ ...item, isBackground });
      const isSeparated = isBackground || (this.#character === ';' && !this.text.startsWith(';;', this.at));
      if (isSeparated) this.at++;
      else if (this.#character !== '\n') return items;
    }
  }

  #isAtEndOfList(): boolean {
    return (
      this.at >= this.end ||
      this.#character === ')' ||
      this.text.startsWith(';;', this.at) ||
      RESERVED.has(this.#peek())
    );
  }

  #item(): Omit<ListItem, 'isBackground'> {
    const first = this.#pipeline();
    const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = [];
    for (;;) {
      this.#skipBlanks();
      const operator = this.text.slice(this.at, this.at + 2);
      if (operator !== '&&' && operator !== '||') return { first, rest };
      this.at += 2;
      this.#skipLines();
      rest.push({ operator, pipeline: this.#pipeline() });
    }
  }

  #pipeline(): Pipeline {
    let isNegated = false;
    while (this.#peek() === '!') {
      isNegated = !isNegated;
      this.at++;
      this.#skipBlanks();
    }
    const commands = [this.#command()];
    for (;;) {
      this.#skipBlanks();
      if (this.#character !== '|' || this.text.startsWith('||', this.at)) return { isNegated, commands };
      const takesErrors = this.text.charAt(this.at + 1) === '&';
      this.at += takesErrors ? 2 : 1;
      if (takesErrors) commands.push(withErrors(commands.pop() as Command));
      this.#skipLines();
      commands.push(this.#command());
    }
  }

  #command(): Command {
    this.#skipBlanks();
    const word = this.#peek();
    if (RESERVED.has(word) && word !== 'in') throw this.#unexpected();
    const isParenthesis = this.#character === '(';
    if (isParenthesis || OPENING.has(word)) return nested(this, () => this.#compound(word));
    FUNCTION.lastIndex = this.at;
    const name = FUNCTION.exec(this.text)?.[1];
    if (name === undefined) return this.#simple();
    this.at = FUNCTION.lastIndex;
    return this.#functionNamed(name);
  }

  #functionNamed(name: string): Command {
    this.#skipLines();
    return { type: 'function', name, body: nested(this, () => this.#command()) };
  }

  #compound(word: string): Command {
    if (word === 'function') {
      this.at += word.length;
      this.#skipBlanks();
      const name = this.#peek();
      this.at += name.length;
      this.#skipBlanks();
      if (this.text.startsWith('()', this.at)) this.at += 2;
      return this.#functionNamed(name);
    }
    const body = this.#body(word);
    const redirections: Redirection[] = [];
    for (this.#skipBlanks(); this.#isRedirection(); this.#skipBlanks()) redirections.push(...this.#redirections());
    return { type: 'compound', body, redirections };
  }

  #body(word: string): CompoundBody {
    if (this.#character === '(') {
      if (this.text.startsWith('((', this.at)) {
        const start = this.at;
        const expression = arithmeticAt(this);
        if (expression !== undefined) return { type: 'arithmetic', expression };
        this.at = start;
      }
      this.at++;
      return { type: 'subshell', body: this.#filled(this.parseUntilParenthesis()) };
    }
    this.at += word.length;
    switch (word) {
      case '{':
        return { type: 'group', body: this.#listBefore('}') };
      case 'if':
        return this.#if();
      case 'while':
      case 'until':
        return {
          type: 'while',
          isUntil: word === 'until',
          condition: this.#listBefore('do'),
          body: this.#listBefore('done'),
        };
      case 'for':
        return this.#for();
      case 'case':
        return this.#case();
      default:
        return this.#condition();
    }
  }

  #if(): CompoundBody {
    const branches = [{ condition: this.#listBefore('then'), body: this.#filled(this.#list()) }];
    for (;;) {
      const word = this.#peek();
      this.at += word.length;
      if (word === 'elif') branches.push({ condition: this.#listBefore('then'), body: this.#filled(this.#list()) });
      else if (word === 'else') return { type: 'if', branches, otherwise: this.#listBefore('fi') };
      else if (word === 'fi') return { type: 'if', branches, otherwise: [] };
      else throw this.#unexpected(word.length);
    }
  }

  #for(): CompoundBody {
    this.#skipBlanks();
    const name = this.#peek();
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new ScriptError('syntax error: bad for loop variable');
    this.at += name.length;
    this.#skipLines();
    let words: Word[] | undefined;
    if (this.#peek() === 'in') {
      this.at += 2;
      words = [];
      for (this.#skipBlanks(); !this.#isAtDelimiter(); this.#skipBlanks()) words.push(parseWord(this));
    }
    this.#skipBlanks();
    if (this.#character === ';') this.at++;
    this.#skipLines();
    this.#expectWord('do');
    return { type: 'for', name, words, body: this.#listBefore('done') };
  }

  #case(): CompoundBody {
    this.#skipBlanks();
    const subject = parseWord(this);
    this.#skipLines();
    this.#expectWord('in');
    const branches: CaseBranch[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#peek() === 'esac') {
        this.at += 4;
        return { type: 'case', subject, branches };
      }
      if (this.#character === '(') this.at++;
      const patterns: Word[] = [];
      do {
        this.#skipBlanks();
        const pattern = parseWord(this);
        if (pattern.length === 0) throw this.#unexpected();
        patterns.push(pattern);
        this.#skipBlanks();
      } while (this.#character === '|' && ++this.at > 0);
      this.#expect(')');
      branches.push({ patterns, body: this.#list() });
      if (this.text.startsWith(';;', this.at)) this.at += 2;
      else if (this.#peek() !== 'esac') throw this.#unexpected();
    }
  }

  /** The words of `[[ … ]]`; operators are words of their own. */
  #condition(): CompoundBody {
    const words: Word[] = [];
    for (;;) {
      this.#skipLines();
      if (this.at >= this.end) throw this.#unexpected();
      if (this.#peek() === ']]') {
        this.at += 2;
        return { type: 'condition', words };
      }
      const [operator] = /^(?:&&|\|\||[<>()])/.exec(this.text.slice(this.at, this.at + 2)) ?? [];
      const last = words.at(-1)?.[0];
      if (last?.type === 'text' && !last.isQuoted && last.text === '=~') {
        words.push(this.#regularExpression());
      } else if (operator === undefined) {
        words.push(parseWord(this));
      } else {
        words.push([{ type: 'text', text: operator, isQuoted: false }]);
        this.at += operator.length;
      }
      if (words.at(-1)?.length === 0) throw this.#unexpected();
    }
  }

  /** The word after `=~`, where parentheses and bars are part of it. */
  #regularExpression(): Word {
    const parts = [...parseWord(this)];
    while (this.at < this.end && !/\s/.test(this.#character)) {
      parts.push({ type: 'text', text: this.#character, isQuoted: false });
      this.at++;
      parts.push(...parseWord(this));
    }
    return parts;
  }

  #simple(): SimpleCommand {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirections: Redirection[] = [];
    for (this.#skipBlanks(); ; this.#skipBlanks()) {
      if (this.#isRedirection()) {
        redirections.push(...this.#redirections());
      } else if (this.#isAtDelimiter()) {
        break;
      } else {
        const word = parseWord(this);
        const assignment = words.length === 0 ? assignmentOf(word) : undefined;
        if (assignment === undefined) words.push(word);
        else assignments.push(assignment);
      }
    }
    if (assignments.length + words.length + redirections.length === 0) throw this.#unexpected();
    return { type: 'simple', assignments, words, redirections };
  }

  #isRedirection(): boolean {
    BOTH_OUTPUTS.lastIndex = this.at;
    REDIRECTION.lastIndex = this.at;
    return REDIRECTION.test(this.text) || (this.isBash && BOTH_OUTPUTS.test(this.text));
  }

  #redirections(): readonly Redirection[] {
    BOTH_OUTPUTS.lastIndex = this.at;
    const [both] = BOTH_OUTPUTS.exec(this.text) ?? [];
    if (both !== undefined) {
      this.at += both.length;
      const target = this.#target();
      return [{ operator: both === '&>' ? '>' : '>>', descriptor: 1, target }, ERRORS_TO_OUTPUT];
    }
    REDIRECTION.lastIndex = this.at;
    const [all = '', number = '', sign = ''] = REDIRECTION.exec(this.text) ?? [];
    this.at += all.length;
    const descriptor = number === '' ? (sign.startsWith('<') ? 0 : 1) : Number(number);
    if (sign === '<<' || sign === '<<-') return [this.#hereDocument(descriptor, sign === '<<-')];
    const operator = (sign === '>|' ? '>' : sign) as Redirection['operator'];
    const target = this.#target();
    const [only] = target;
    const takesBoth = operator === '>&' && number === '' && only?.type === 'text' && !/^(?:\d+|-)$/.test(only.text);
    if (takesBoth) return [{ operator: '>', descriptor: 1, target }, ERRORS_TO_OUTPUT];
    return [{ operator, descriptor, target }];
  }

  #target(): Word {
    this.#skipBlanks();
    const target = parseWord(this);
    if (target.length === 0) throw this.#unexpected();
    return target;
  }

  #hereDocument(descriptor: number, stripsTabs: boolean): Redirection {
    const delimiter = this.#target();
    const redirection: { operator: '<<'; descriptor: number; target: Word } = {
      operator: '<<',
      descriptor,
      target: NO_WORD,
    };
    this.#hereDocuments.push({
      delimiter: delimiter.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      isQuoted: delimiter.some((part) => part.isQuoted),
      stripsTabs,
      fill: (body) => (redirection.target = body),
    });
    return redirection;
  }

  /** Steps over the end of the line, and over the here-documents that follow it. */
  #endLine(): void {
    this.at++;
    const waiting = this.#hereDocuments;
    this.#hereDocuments = [];
    for (const each of waiting) each.fill(this.#hereText(each));
  }

  #hereText(document: HereDocument): Word {
    const text = readHereDocument(document, this);
    if (document.isQuoted) return [{ type: 'text', text, isQuoted: true }];
    const inner = new ScriptParser(text, { isBash: this.isBash, depth: this.depth });
    return parseQuoted(inner, '', '');
  }

  #listBefore(word: string): Script {
    const list = this.#filled(this.#list());
    this.#expectWord(word);
    return list;
  }

  #filled(script: Script): Script {
    if (script.length === 0) throw this.#unexpected();
    return script;
  }

  #expect(sign: string): void {
    this.#skipLines();
    if (this.#character !== sign) throw this.#unexpected();
    this.at++;
  }

  #expectWord(word: string): void {
    if (this.#peek() !== word) throw this.#unexpected();
    this.at += word.length;
  }

  /** The unquoted word at the position, if it is a whole word. */
  #peek(): string {
    PLAIN_WORD.lastIndex = this.at;
    const word = PLAIN_WORD.exec(this.text)?.[0] ?? '';
    const next = this.text.charAt(this.at + word.length);
    return /['"\\$`]/.test(next) ? '' : word;
  }

  get #character(): string {
    return this.text.charAt(this.at);
  }

  #isAtDelimiter(): boolean {
    return this.at >= this.end || '\n|&;<>()'.includes(this.#character);
  }

  #skipBlanks(): void {
    for (;;) {
      const character = this.#character;
      if (character === ' ' || character === '\t' || character === '\r') this.at++;
      else if (character === '\\' && this.text.charAt(this.at + 1) === '\n') this.at += 2;
      else if (character !== '#') return;
      else this.#skipComment();
    }
  }

  #skipComment(): void {
    const newline = this.text.indexOf('\n', this.at);
    this.at = newline === -1 ? this.end : newline;
  }

  #skipLines(): void {
    for (this.#skipBlanks(); this.#character === '\n'; this.#skipBlanks()) this.#endLine();
  }

  /** `behind` is the length of the word that was already stepped over. */
  #unexpected(behind = 0): ScriptError {
    const at = this.at - behind;
    if (at >= this.end) return new ScriptError('syntax error: unexpected end of file', true);
    const rest = this.text.slice(at, at + 32);
    const [token = ''] = /^(?:\n|&&|\|\||;;|[|&;()<>]|[^\s|&;()<>]+)/.exec(rest) ?? [];
    return new ScriptError(`syntax error: unexpected ${token === '\n' ? 'newline' : JSON.stringify(token)}`);
  }
}
