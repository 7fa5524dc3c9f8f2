/** What becomes of a flag of Kubernetes' programs: it has its effect, it cannot matter here, or it is refused. */
export type Verdict = 'obeyed' | 'accepted' | 'refused';

/** Flags with the same verdict for the same reason. */
export interface FlagGroup {
  readonly verdict: Verdict;
  /** The reason, as the end of a sentence: `all metrics are shown`. */
  readonly why: string;
  /**
   * Names, separated by blanks. A `?` after the name marks a boolean flag. `=a|b` after the name of a refused flag lists values that
   * are accepted all the same, because they ask for what is the case anyway.
   */
  readonly flags: string;
}

export interface UpstreamFlag {
  readonly name: string;
  readonly isBoolean: boolean;
  readonly verdict: Verdict;
  readonly why: string;
  /** Values of a refused flag that are accepted all the same. */
  readonly harmless: readonly string[];
}

/** The flags of some groups, sorted by name. */
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

/** The flags, with those of the second list in place of their namesakes. Names that the first list lacks are left out. */
export function overridden(flags: readonly UpstreamFlag[], others: readonly UpstreamFlag[]): readonly UpstreamFlag[] {
  const byName = new Map(others.map((flag) => [flag.name, flag]));
  return flags.map((flag) => byName.get(flag.name) ?? flag);
}
