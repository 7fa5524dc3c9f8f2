// The words that comments, names, messages and pages do without, because they hide who does what.
import { lineAt } from './documents.ts';

/** A word or phrase that must not be used, and what to say instead. */
export interface ForbiddenWord {
  /** Lower-case words, separated by single spaces. Identifiers count as their parts: `toldPods` contains `told`. */
  readonly phrase: string;
  readonly instead: string;
}

/** A use of a forbidden word. */
export interface Finding {
  readonly line: number;
  readonly phrase: string;
  readonly instead: string;
}

/** Allows phrases in the files whose path matches. */
export interface Exception {
  readonly files: RegExp;
  /** `*` stands for all. */
  readonly phrases: readonly string[];
  readonly reason: string;
}

const ACTOR = 'name the actor: the client, the controller, the user, …';

export const forbiddenWords: readonly ForbiddenWord[] = [
  { phrase: 'unless given', instead: '"default X"' },
  { phrase: 'unless told', instead: '"by default …"' },
  { phrase: 'nobody', instead: ACTOR },
  { phrase: 'somebody', instead: ACTOR },
  { phrase: 'anybody', instead: ACTOR },
  { phrase: 'everybody', instead: ACTOR },
  { phrase: 'whoever', instead: ACTOR },
  { phrase: 'those who', instead: ACTOR },
  { phrase: 'told', instead: 'say who reports what to whom: "reports", "records an event", "is notified"' },
  { phrase: 'anew', instead: '"again"' },
  { phrase: 'so many', instead: '"this many", "at most N", or the parameter\'s name' },
  { phrase: 'so long', instead: '"this long", "for N seconds", or the parameter\'s name' },
  { phrase: 'for ever', instead: '"forever"' },
  { phrase: 'half a minute', instead: '"30 seconds"' },
  { phrase: 'in vain', instead: '"without success" or "without need"' },
  { phrase: 'next look', instead: '"next check"' },
  { phrase: 'by chance', instead: '"at random"' },
  { phrase: 'clock of the wall', instead: '"real time"' },
  { phrase: 'has it that', instead: '"says" or "requires"' },
  { phrase: 'is let go', instead: '"is released" or "is deleted"' },
  { phrase: 'are let go', instead: '"are released" or "are deleted"' },
  { phrase: 'what was heard', instead: '"the events received"' },
  { phrase: 'bad day', instead: '"injected faults"' },
];

/** Prefixes of constants that limit something: limits are `MAX_` and `MIN_`. */
const forbiddenPrefixes: Readonly<Record<string, string>> = {
  MOST: 'MAX_',
  LONGEST: 'MAX_',
  LARGEST: 'MAX_',
  HIGHEST: 'MAX_',
  LEAST: 'MIN_',
  FEWEST: 'MIN_',
  SHORTEST: 'MIN_',
  SMALLEST: 'MIN_',
};

/** What may stand between the words of a phrase: blanks, the marks of comments, and underscores. */
const BETWEEN = String.raw`[\s*/_]*`;
const WHOLLY_BETWEEN = new RegExp(`^${BETWEEN}$`);
/** Most texts have no such letters, not even as parts of other words. */
const MAY_BE_FORBIDDEN = new RegExp(forbiddenWords.map(({ phrase }) => phrase.replaceAll(' ', BETWEEN)).join('|'), 'i');

export const exceptions: readonly Exception[] = [
  { files: /^src\/api\/(types|generated)\//, phrases: ['*'], reason: 'texts of the Kubernetes API reference' },
  { files: /^docs\/decisions\//, phrases: ['*'], reason: 'decisions are records and keep their wording' },
  {
    files: /^src\/controllers\/.*\/testing\/.*scenarios.*\.ts$/,
    phrases: ['*'],
    reason: 'the names of scenarios and of their steps are keys of recorded data',
  },
  {
    files: /^src\/controllers\/attach-detach\/testing\//,
    phrases: ['*'],
    reason: 'the names of scenarios and of their steps are keys of recorded data',
  },
  {
    files: /^src\/controllers\/testing\/metrics\/exercise\.ts$/,
    phrases: ['nobody'],
    reason: 'names of objects that no component handles',
  },
];

interface Word {
  readonly text: string;
  readonly line: number;
  /** Whether only blanks and comment marks stand between this word and the one before. */
  readonly follows: boolean;
}

/** The forbidden words in a text, in order. A phrase may go over the end of a line, also inside of a comment. */
export function findForbiddenWords(text: string): readonly Finding[] {
  const findings: Finding[] = [];
  const words = MAY_BE_FORBIDDEN.test(text) ? wordsOf(text) : [];
  for (const [at, { line }] of words.entries())
    for (const { phrase, instead } of forbiddenWords)
      if (isAt(words, at, phrase.split(' '))) findings.push({ line, phrase, instead });
  for (const match of text.matchAll(/\b([A-Z]+)_(?=[A-Z])/g)) {
    const instead = forbiddenPrefixes[match[1] ?? ''];
    if (instead !== undefined) findings.push({ line: lineAt(text, match.index), phrase: match[0], instead });
  }
  return findings.sort((left, right) => left.line - right.line);
}

/** Whether an exception allows the phrase in the file. */
export function isAllowed(path: string, phrase: string, list: readonly Exception[] = exceptions): boolean {
  return list.some(
    (exception) =>
      exception.files.test(path) && (exception.phrases.includes('*') || exception.phrases.includes(phrase)),
  );
}

/** The titles of tests and suites in a test file, each on the line that it has in the file. */
export function testTitlesOf(text: string): string {
  const kept = [...text.matchAll(/\b(?:test|it|describe)\b[.\w]*(?:\([^()]*\))?\(\s*('[^']*'|"[^"]*"|`[^`]*`)/g)];
  const lines = text.split('\n').map(() => '');
  for (const match of kept) {
    const line = lineAt(text, match.index + match[0].length) - 1;
    lines[line] = `${lines[line] ?? ''} ${match[1] ?? ''}`;
  }
  return lines.join('\n');
}

/** Splits identifiers into their parts: `isToldNow` is "is", "told", "now". */
function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  let line = 1;
  let end = 0;
  for (const match of text.matchAll(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)) {
    const between = text.slice(end, match.index);
    line += between.split('\n').length - 1;
    end = match.index + match[0].length;
    words.push({ text: match[0].toLowerCase(), line, follows: WHOLLY_BETWEEN.test(between) });
  }
  return words;
}

function isAt(words: readonly Word[], at: number, phrase: readonly string[]): boolean {
  return phrase.every((wanted, offset) => {
    const word = words[at + offset];
    return word?.text === wanted && (offset === 0 || word.follows);
  });
}
