import { expect, test } from 'vitest';
import { findForbiddenWords, forbiddenWords, isAllowed, testTitlesOf } from './forbidden-words.ts';

function phrases(text: string): readonly string[] {
  return findForbiddenWords(text).map(({ line, phrase }) => `${line}: ${phrase}`);
}

test('a phrase is found with its line in comments, strings and names', () => {
  const text = ['/** 5 minutes unless given. */', "log.info('nobody answers');", 'const isToldNow = true;'];
  expect(phrases(text.join('\n'))).toEqual(['1: unless given', '2: nobody', '3: told']);
});

test('a phrase that continues on the next line of a comment is found on its first line', () => {
  expect(phrases('/**\n * The wait; 5 minutes unless\n * given. */\n// after so\n// many calls')).toEqual([
    '2: unless given',
    '4: so many',
  ]);
});

test('a phrase needs adjacent whole words', () => {
  expect(phrases('unless it is given; so, many; untold; Anewton; so longer')).toEqual([]);
});

test('limits must start with MAX_ or MIN_', () => {
  expect(findForbiddenWords('const MOST_TRIES = 3;\nconst LEAST_BYTES = 1;\nconst MAX_DEPTH = 2;')).toMatchObject([
    { line: 1, phrase: 'MOST_', instead: 'MAX_' },
    { line: 2, phrase: 'LEAST_', instead: 'MIN_' },
  ]);
});

test('each forbidden word is found as it is listed', () => {
  for (const { phrase } of forbiddenWords)
    expect(findForbiddenWords(phrase).map((each) => each.phrase)).toContain(phrase);
});

test('an exception allows its phrases in its files only', () => {
  const list = [{ files: /^src\/users\//, phrases: ['nobody'], reason: 'the user of that name' }];
  expect(isAllowed('src/users/passwd.ts', 'nobody', list)).toBe(true);
  expect(isAllowed('src/users/passwd.ts', 'told', list)).toBe(false);
  expect(isAllowed('src/other.ts', 'nobody', list)).toBe(false);
});

test('the titles of tests keep their lines', () => {
  const text = "const told = 1;\ntest('a pod is told', () => {});\ndescribe.each(cases)(\n  'nobody',\n";
  expect(phrases(testTitlesOf(text))).toEqual(['2: told', '4: nobody']);
});
