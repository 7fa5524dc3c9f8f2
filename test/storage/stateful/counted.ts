/** What is wrong with lines that should be the numbers from 1 on; undefined when nothing is. */
export function missingNumbers(text: string): string | undefined {
  const lines = text.trimEnd().split('\n');
  const at = lines.findIndex((line, index) => line !== String(index + 1));
  return at < 0 ? undefined : `line ${at + 1} of ${lines.length} is ${JSON.stringify(lines[at])}`;
}
