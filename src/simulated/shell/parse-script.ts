/** A piece of a word: text, quoted or not, with or without variables. */
export interface WordPart {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly hasVariables: boolean;
}

export type Word = readonly WordPart[];

export interface Redirection {
  readonly operator: '<' | '>' | '>>' | '2>' | '2>>' | '2>&1' | '>&2';
  /** Empty for `2>&1` and `>&2`. */
  readonly target: Word;
}

export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

/** Commands connected by `|`, and the result of the previous pipeline on which they run. */
export interface Pipeline {
  readonly after: 'anything' | 'success' | 'failure';
  readonly commands: readonly SimpleCommand[];
}

export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

type Token = { readonly operator: string } | { readonly word: Word };

const OPERATORS = [
  '2>&1',
  '1>&2',
  '>&2',
  '2>>',
  '1>>',
  '1>',
  '2>',
  '&&',
  '||',
  '>>',
  '>',
  '<',
  '|',
  ';',
  '\n',
  '&',
  '(',
  ')',
];
const REDIRECTIONS: readonly string[] = ['<', '>', '>>', '2>', '2>>', '2>&1', '>&2'];
const KEYWORDS = new Set(['if', 'for', 'while', 'until', 'case', 'function', '{', '!']);

/** Parses a small part of the shell language: commands with quotes, variables, pipes, redirections, `;`, `&&` and `||`. */
export function parseScript(text: string): readonly Pipeline[] {
  const pipelines: Pipeline[] = [];
  let after: Pipeline['after'] = 'anything';
  let commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let redirections: Redirection[] = [];
  const endCommand = (token: string): void => {
    const isEmpty = words.length === 0 && redirections.length === 0;
    if (!isEmpty) commands.push({ words, redirections });
    else if (token === '|' || commands.length > 0) throw unexpected(token);
    [words, redirections] = [[], []];
  };
  const endPipeline = (token: string): void => {
    endCommand(token);
    if (commands.length > 0) pipelines.push({ after, commands });
    else if (after !== 'anything' || token === '&&' || token === '||') throw unexpected(token);
    commands = [];
  };
  const tokens = tokensOf(text);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    if ('word' in token) {
      const [first] = token.word;
      if (words.length === 0 && first !== undefined && !first.isQuoted && KEYWORDS.has(first.text)) {
        throw new ScriptError(`syntax error: "${first.text}" is not understood by simulated containers`);
      }
      words.push(token.word);
    } else if (REDIRECTIONS.includes(token.operator)) {
      const operator = token.operator as Redirection['operator'];
      const next = operator.includes('&') ? { word: [] } : tokens[++index];
      if (next === undefined || !('word' in next)) throw unexpected(next?.operator ?? 'end of file');
      redirections.push({ operator, target: next.word });
    } else if (token.operator === '|') {
      endCommand('|');
    } else if (['&', '(', ')'].includes(token.operator)) {
      throw unexpected(token.operator);
    } else {
      endPipeline(token.operator);
      after = token.operator === '&&' ? 'success' : token.operator === '||' ? 'failure' : 'anything';
    }
  }
  endPipeline('end of file');
  return pipelines;
}

function unexpected(token: string): ScriptError {
  return new ScriptError(`syntax error: unexpected ${token === '\n' ? 'newline' : JSON.stringify(token)}`);
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let word: WordPart[] | undefined;
  const add = (part: WordPart): void => void (word ??= []).push(part);
  const end = (): void => {
    if (word !== undefined) tokens.push({ word });
    word = undefined;
  };
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    const operator = OPERATORS.find((each) => text.startsWith(each, at) && (word === undefined || !/^\d/.test(each)));
    if (operator !== undefined) {
      end();
      tokens.push({ operator: operator.replace(/^1/, '') });
      at += operator.length;
    } else if (/\s/.test(character)) {
      end();
      at++;
    } else if (character === '#' && word === undefined) {
      const newline = text.indexOf('\n', at);
      at = newline === -1 ? text.length : newline;
    } else if (character === "'" || character === '"') {
      const close = closing(text, at);
      const inner = text.slice(at + 1, close);
      const isDouble = character === '"';
      const words = isDouble
        ? inner.replace(/\\(["\\$`])/g, (_, kept: string) => (kept === '$' ? LITERAL_DOLLAR : kept))
        : inner;
      add({ text: words, isQuoted: true, hasVariables: isDouble });
      at = close + 1;
    } else if (character === '\\') {
      if (text.charAt(at + 1) !== '\n') add({ text: text.charAt(at + 1), isQuoted: true, hasVariables: false });
      at += 2;
    } else if (character === '`' || text.startsWith('$(', at)) {
      throw new ScriptError('syntax error: commands within words are not understood by simulated containers');
    } else {
      const [plain = character] = /^[^\s'"\\`#|&;<>()$]+|^\$[^\s'"\\`|&;<>()]*|^./.exec(text.slice(at)) ?? [];
      add({ text: plain, isQuoted: false, hasVariables: true });
      at += plain.length;
    }
  }
  end();
  return tokens;
}

/** Stands for a dollar sign in double quotes that starts no variable. */
export const LITERAL_DOLLAR = '\0';

function closing(text: string, open: number): number {
  const quote = text.charAt(open);
  for (let at = open + 1; at < text.length; at++) {
    if (text.charAt(at) === quote) return at;
    if (quote === '"' && text.charAt(at) === '\\') at++;
  }
  throw new ScriptError('syntax error: unterminated quoted string');
}
