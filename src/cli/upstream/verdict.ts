import { UsageError } from '../command.ts';
import type { FlagDefinition, FlagDefinitions, Flags } from '../flags.ts';

/** What becomes of a flag of Kubernetes' programs: it does what it says, it cannot matter here, or it is refused. */
export type Verdict = 'obeyed' | 'accepted' | 'refused';

/** Flags with the same verdict for the same reason. */
export interface FlagGroup {
  readonly verdict: Verdict;
  /** The reason, as the end of a sentence: `all metrics are shown`. */
  readonly why: string;
  /**
   * Names, with blanks between them. A `?` after the name stands for a flag that is true or false. `=a|b` after a name that is
   * refused stands for values that are not: they say what is the case anyway.
   */
  readonly flags: string;
}

export interface UpstreamFlag {
  readonly name: string;
  readonly isBoolean: boolean;
  readonly verdict: Verdict;
  readonly why: string;
  /** Values of a refused flag that are taken all the same. */
  readonly harmless: readonly string[];
}

/** The flags of some groups, by name. */
export function flagsOf(groups: readonly FlagGroup[]): readonly UpstreamFlag[] {
  const all = groups.flatMap(({ verdict, why, flags }) =>
    flags
      .trim()
      .split(/\s+/)
      .map((text): UpstreamFlag => {
        const [, name = '', mark, values] = /^([a-z0-9-]+)(\?)?(?:=(.*))?$/.exec(text) ?? [];
        return { name, isBoolean: mark === '?', verdict, why, harmless: values?.split('|') ?? [] };
      }),
  );
  return all.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The definitions of a command, and those of Kubernetes' flags that it takes or refuses besides. */
export function withUpstreamFlags(own: FlagDefinitions, upstream: readonly UpstreamFlag[]): FlagDefinitions {
  const others = upstream.filter(({ name }) => !(name in own) && name !== 'help');
  const definition = ({ isBoolean, why }: UpstreamFlag): FlagDefinition => ({
    type: isBoolean ? 'boolean' : 'string',
    multiple: !isBoolean,
    help: why,
    isHidden: true,
  });
  return { ...Object.fromEntries(others.map((flag) => [flag.name, definition(flag)])), ...own };
}

/** Refuses, with the reason, what cannot be had. */
export function checkUpstreamFlags(flags: Flags, own: FlagDefinitions, upstream: readonly UpstreamFlag[]): void {
  for (const { name, isBoolean, verdict, why, harmless } of upstream) {
    if (name in own || !flags.has(name) || verdict === 'accepted') continue;
    const given = isBoolean ? String(flags.isSet(name)) : flags.list(name).join(',');
    if (verdict === 'refused' && harmless.includes(given)) continue;
    if (verdict === 'obeyed') throw new UsageError(`--${name} cannot be given here: it is for "keelson apiserver"`);
    const besides = harmless.length === 0 ? '' : ` (${harmless.map((value) => `"${value}"`).join(' or ')} is fine)`;
    throw new UsageError(`--${name} is refused: ${why}${besides}`);
  }
}
