import { type FlagValues, FlagError } from '../flag.ts';

/** What `--node-labels` asks for. */
export function labelsOf(flags: FlagValues): Readonly<Record<string, string>> {
  const pairs = flags.list('node-labels').map((text): [string, string] => {
    const [key = '', value] = text.split('=');
    if (key === '' || value === undefined) throw new FlagError(`--node-labels needs KEY=VALUE, got "${text}"`);
    return [key, value];
  });
  return Object.fromEntries(pairs);
}
