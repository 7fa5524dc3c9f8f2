/** `NAME='value'`, perhaps over several lines, and then nothing but a comment. */
const ASSIGNMENT = /[ \t]*([^=\n]*[^=\s])=(?:[ \t][^\n]*|'([^']*)'[ \t]*(?:#[^\n]*)?)(?:\n|$)/y;
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

/**
 * The value of a variable in a file of variables (KEP-5307): the part of the shell's syntax where values are in single quotes.
 * Undefined when the file does not have it, or has it without a value. A file with anything else in it is refused.
 */
export function environmentFileValue(text: string, key: string): string | undefined {
  for (let at = 0; at < text.length;) {
    const pattern = matchAt(NOTHING, text, at) === null ? ASSIGNMENT : NOTHING;
    const match = matchAt(pattern, text, at);
    if (match === null) {
      const line = text.slice(0, at).split('\n').length;
      throw new Error(`invalid environment variable format at line ${line}`);
    }
    if (match[1] === key) return match[2] === undefined || match[2] === '' ? undefined : match[2];
    at += match[0].length;
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
