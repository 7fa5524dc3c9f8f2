import type { Answer } from './worlds.ts';

export interface Difference {
  readonly text: string;
  /** Set when the difference is known and meant. */
  readonly explanation: string | undefined;
}

const FIELDS = ['issues', 'type', 'min', 'max', 'refused', 'value', 'error', 'cost'] as const;

/** How our answer differs from Go's, if it does. */
export function compareAnswers(ours: Answer, theirs: Answer): Difference | undefined {
  const different = differentFields(ours, theirs);
  if (different.length === 0) return undefined;
  const text = different
    .map((field) => `  ${field}: Go   ${theirs[field]}\n  ${' '.repeat(field.length)}  ours ${ours[field]}`)
    .join('\n');
  return { text, explanation: explain(ours, theirs) };
}

function differentFields(ours: Answer, theirs: Answer): (typeof FIELDS)[number][] {
  return FIELDS.filter((field) => normalized(ours[field]) !== normalized(theirs[field]));
}

/** Type variables are numbered in an order that is random in Go. */
function normalized(text: string | undefined): string | undefined {
  return text?.replaceAll(/_var\d+/g, '_var');
}

/** Why an answer may differ. */
function explain(ours: Answer, theirs: Answer): string | undefined {
  if (theirs.panic !== undefined) return 'Go panics';
  if (theirs.issues !== undefined && ours.issues !== undefined && withoutOthers(theirs.issues) === ours.issues) {
    return 'when the text does not fit the grammar, only that is reported, not what is wrong with the pieces';
  }
  if (['file name too long', 'is a directory', 'invalid argument'].includes(theirs.error ?? '')) {
    return 'the name of a time zone is that of a file in Go';
  }
  if (theirs.value?.includes('error:unsupported conversion to ref.Val: (*errors.errorString)') === true) {
    return 'a broken element of a list has other words in Go once it was in an optional';
  }
  if (theirs.error?.startsWith('cannot get field "') === true && ours.error?.startsWith('no such key: ') === true) {
    return 'null where an Object was expected: Go has other words for fields that it lacks';
  }
  if (
    theirs.error !== undefined &&
    differentFields(ours, { ...theirs, error: asComputed(theirs.error) }).length === 0
  ) {
    return 'data as it came in has other type names in Go, and out of a ?: as well';
  }
  return undefined;
}

function asComputed(error: string): string {
  return error
    .replace(/type: \[\]interface {}$/, 'type: *types.baseList')
    .replace(/type: map\[string\]interface {}$/, 'type: *types.baseMap')
    .replace(/type: <nil>$/, 'type: types.Null');
}

/** The syntax errors among several. */
function withoutOthers(issues: string): string {
  return issues
    .split(/\n(?=ERROR:)/)
    .filter((issue) => issue.includes('Syntax error'))
    .join('\n');
}
