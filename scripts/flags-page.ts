import { server } from '../src/cluster/programs/apiserver/index.ts';
import {
  type ConfigurationFile,
  type ProgramEntry,
  programs,
  type UpstreamFlag,
  type Verdict,
} from '../src/cluster/programs/index.ts';

const INTRODUCTION = `# Flags of Kubernetes' programs

Every flag of Kubernetes' programs, version 1.36, and its effect in Keelson. \`keelson apiserver\` takes the flags of kube-apiserver,
\`keelson controller-manager\` those of kube-controller-manager, \`keelson scheduler\` those of kube-scheduler, \`keelson kubelet\` those of kubelet; its configuration file is at the end. \`keelson up\` runs all
programs in one process and takes the flags of all; a shared name has the meaning of kube-apiserver's flag.

- **obeyed**: the flag has upstream's effect.
- **accepted**: the flag has no effect, for the reason in the last column.
- **refused**: the program does not start, and prints the reason. Values that describe the actual behaviour are accepted.

\`npm run flags\` writes this page from the list of programs; \`npm run check:docs\` fails when it is out of date.
`;

/** A program's flags as a section of the page shows them. */
export interface FlagSection {
  readonly title: string;
  readonly flags: readonly UpstreamFlag[];
}

/** The sections of the page: the server's, and two for each program with upstream flags. */
export async function flagSections(entries: readonly ProgramEntry[] = programs): Promise<readonly FlagSection[]> {
  const others = await Promise.all(
    entries.map(async ({ command = '', load }): Promise<readonly FlagSection[]> => {
      const { name, flags } = (await load()).program;
      if (flags.upstream === undefined) return [];
      return [
        { title: name, flags: flags.upstream.inCluster },
        { title: `${name}, as \`keelson ${command}\``, flags: flags.upstream.standalone },
      ].filter((section) => section.flags.length > 0);
    }),
  );
  return [{ title: server.name, flags: server.flags.upstream.inCluster }, ...others.flat()];
}

/** The text of docs/reference/flags.md. */
export async function flagsPage(entries: readonly ProgramEntry[] = programs): Promise<string> {
  const loaded = await Promise.all(entries.map(({ load }) => load()));
  const files = loaded.flatMap(({ program }) => program.flags.files ?? []);
  return [INTRODUCTION, ...(await flagSections(entries)).map(section), ...files.map(fileSection)].join('\n');
}

/** The fields of a configuration file. Of those that are refused, values other than the default are. */
function fileSection({ title, fields }: ConfigurationFile): string {
  const count = (verdict: Verdict): number => fields.filter((field) => field.verdict === verdict).length;
  const summary = `${fields.length} fields: ${count('obeyed')} obeyed, ${count('accepted')} accepted, ${count('refused')} refused but for their default. Other fields are errors.`;
  const rows = fields.map((field) => [
    `\`${field.name}\``,
    field.default === '' ? '' : `\`${field.default}\``,
    field.verdict,
    field.why,
  ]);
  return `## ${title}\n\n${summary}\n\n${table([['Field', 'Default', 'Verdict', 'Why'], ...rows])}`;
}

function section({ title, flags }: FlagSection): string {
  const count = (verdict: Verdict): number => flags.filter((flag) => flag.verdict === verdict).length;
  const summary = `${flags.length} flags: ${count('obeyed')} obeyed, ${count('accepted')} accepted, ${count('refused')} refused.`;
  const rows = flags.map(({ name, verdict, why, harmless }) => {
    const besides = harmless.length === 0 ? '' : `, but for ${harmless.map(quoted).join(', ')}`;
    return [`\`--${name}\``, `${verdict}${besides}`, why];
  });
  return `## ${title}\n\n${summary}\n\n${table([['Flag', 'Verdict', 'Why'], ...rows])}`;
}

/** A value in code; words about values stay words. */
function quoted(value: string): string {
  return value.startsWith('the ') ? value : `\`${value}\``;
}

/** A table with columns of even width, as the formatter wants it. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [first = '', ...others] = rows.map(line);
  return first + rule + others.join('');
}
