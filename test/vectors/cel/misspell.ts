import type { Random } from '../../../src/base/index.ts';

const PIECES = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '.',
  ',',
  ':',
  '?',
  '.?',
  '[?',
  '+',
  '-',
  '!',
  '&&',
  '||',
  '&',
  '=',
  '==',
  ' in ',
  '"',
  "'",
  '`',
  '\\',
  'b"',
  "r'",
  '0x',
  '1u',
  '1.',
  '.5e',
  'var',
  'null',
  'true',
  'has(',
  '.map(x, ',
  '.all(',
  '__result__',
  '// ',
  '\n',
  '\t',
  ' ',
  'é',
  '😀',
  '$',
  '#',
  '\u0000',
];

/** An expression with a mistake or two in its text, most of which do not parse any more. */
export function misspell(text: string, random: Random): string {
  let result = text;
  for (let edits = 1 + random.int(2); edits > 0; edits -= 1) result = edit(result, random);
  return result;
}

function edit(text: string, random: Random): string {
  const characters = [...text];
  const at = random.int(characters.length + 1);
  const before = characters.slice(0, at).join('');
  const rest = characters.slice(at);
  const piece = PIECES[random.int(PIECES.length)] as string;
  switch (random.int(5)) {
    case 0:
      return before; // cut off
    case 1:
      return before + rest.slice(1 + random.int(3)).join(''); // something lost
    case 2:
      return before + piece + rest.slice(1).join(''); // something else instead
    case 3:
      return before + rest.slice(0, 4).join('') + rest.join(''); // something twice
    default:
      return before + piece + rest.join('');
  }
}
