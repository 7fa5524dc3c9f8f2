import type { ProgramHelp } from '../cluster/programs/index.ts';
import { describeFlags, type FlagDefinitions } from './flags.ts';

export interface HelpParts extends ProgramHelp {
  /** `keelson up [FLAGS]`. */
  readonly synopsis: string;
  /** What the command does, as a sentence or two. */
  readonly description: string;
  readonly definitions: FlagDefinitions;
  /** Further flags of Kubernetes' programs that are accepted or refused. */
  readonly upstream?: { readonly count: number };
}

/** The help of a command with many flags: the common ones, and all of them. */
export function helpOf(parts: HelpParts): { readonly usage: string; readonly fullUsage: string } {
  const { synopsis, description, definitions, common, examples } = parts;
  const usage = `Usage: ${synopsis}`;
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, comment]) => `  ${line.padEnd(width)}  # ${comment}`);
  const sections = Object.entries(common).map(([title, names]) => section(title, pick(definitions, names)));
  const command = synopsis.split(' ').slice(0, 2).join(' ');
  return {
    usage: [
      usage,
      description,
      ...sections,
      `Examples:\n${lines.join('\n')}`,
      `${command} --help-all shows all flags.`,
    ].join('\n\n'),
    fullUsage: [
      usage,
      description,
      ...groupsOf(definitions).map(([title, flags]) => section(title, flags)),
      upstreamText(parts),
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
  };
}

function section(title: string, definitions: FlagDefinitions): string {
  return `${title}:\n${describeFlags(definitions)}`;
}

function pick(definitions: FlagDefinitions, names: readonly string[]): FlagDefinitions {
  return Object.fromEntries(
    names.map((name) => {
      const definition = definitions[name];
      if (definition === undefined)
        throw new Error(`Cannot describe flag "${name}": the command has none of that name`);
      return [name, definition];
    }),
  );
}

const LAST_GROUP = 'Misc';

/** The flags by heading, in the order in which the headings first appear. */
function groupsOf(definitions: FlagDefinitions): readonly (readonly [title: string, flags: FlagDefinitions])[] {
  const groups = new Map<string, Record<string, FlagDefinitions[string]>>();
  for (const [name, definition] of Object.entries(definitions)) {
    if (definition.isHidden === true) continue;
    const { group = LAST_GROUP } = definition;
    groups.set(group, { ...groups.get(group), [name]: definition });
  }
  const isLast = ([title]: readonly [string, unknown]): boolean => title === LAST_GROUP;
  const all = [...groups];
  return [...all.filter((each) => !isLast(each)), ...all.filter(isLast)];
}

function upstreamText({ upstream }: HelpParts): string {
  if (upstream === undefined || upstream.count === 0) return '';
  return `${upstream.count} more flags of Kubernetes' programs are accepted without effect or refused; docs/reference/flags.md says which and why.`;
}
