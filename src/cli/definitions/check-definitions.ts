import { fieldErrorText } from '../../api/index.ts';
import { checkDefinition } from '../../kit/index.ts';
import type { CustomResource } from '../../kit/index.ts';
import type { FoundDefinition } from './read-definitions.ts';

/** All problems of a definition, one per line: what a server would reject, and what conversions lose. */
export async function checkFound(
  { name, definition, kind }: FoundDefinition,
  runs: number,
): Promise<readonly string[]> {
  const errors = await checkDefinition(definition);
  const lines = errors.map((error) => `${name}: ${fieldErrorText(error)}`);
  if (kind === undefined || !kind.isConverted || runs === 0 || errors.length > 0) return lines;
  const { losses } = await (kind as CustomResource).checkRoundTrip({ runs });
  return losses.map(({ from, through, path, problem, before, after, message }) => {
    const what =
      message ?? `was ${JSON.stringify(before) ?? 'absent'}, comes back as ${JSON.stringify(after) ?? 'absent'}`;
    return `${name}: from ${from} through ${through} and back: ${path} ${problem}: ${what}`.replaceAll('  ', ' ');
  });
}
