/** The text in quotes, with whitespace other than spaces escaped. */
export function quoteInput(text: string): string {
  return `'${text
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)}'`;
}
