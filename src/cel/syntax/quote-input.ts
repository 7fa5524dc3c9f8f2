/** Text in quotes, with spaces other than blanks spelled out. */
export function quoteInput(text: string): string {
  return `'${text
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)}'`;
}
