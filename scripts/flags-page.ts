import { apiserverFlags } from '../src/cli/upstream/apiserver-flags.ts';
import {
  controllerManagerApartFlags,
  controllerManagerFlags,
  schedulerApartFlags,
  schedulerFlags,
} from '../src/cli/upstream/program-flags.ts';
import type { UpstreamFlag, Verdict } from '../src/cli/upstream/verdict.ts';

const INTRODUCTION = `# Flags of Kubernetes' programs

Every flag of kube-apiserver, kube-controller-manager and kube-scheduler 1.36, and what becomes of it here. \`keelson apiserver\`
takes those of kube-apiserver, \`keelson controller-manager\` those of kube-controller-manager, \`keelson scheduler\` those of kube-scheduler; \`keelson up\`, which is all three programs in one process, those of all three, and where they
share a name the server's meaning counts.

- **obeyed**: it does what it does upstream.
- **accepted**: it may be given and changes nothing, because it cannot matter here.
- **refused**: the program does not start, and says why. Values that say what is the case anyway are taken.

This page is made by \`npm run flags\`; \`npm run check:docs\` finds out when it is out of date.
`;

/** The text of docs/reference/flags.md. */
export function flagsPage(): string {
  return [
    INTRODUCTION,
    section('kube-apiserver', apiserverFlags),
    section('kube-controller-manager', controllerManagerFlags),
    section('kube-controller-manager, as `keelson controller-manager`', controllerManagerApartFlags),
    section('kube-scheduler', schedulerFlags),
    section('kube-scheduler, as `keelson scheduler`', schedulerApartFlags),
  ].join('\n');
}

function section(program: string, flags: readonly UpstreamFlag[]): string {
  const count = (verdict: Verdict): number => flags.filter((flag) => flag.verdict === verdict).length;
  const summary = `${flags.length} flags: ${count('obeyed')} obeyed, ${count('accepted')} accepted, ${count('refused')} refused.`;
  const rows = flags.map(({ name, verdict, why, harmless }) => {
    const besides = harmless.length === 0 ? '' : `, but for ${harmless.map((value) => `\`${value}\``).join(', ')}`;
    return [`\`--${name}\``, `${verdict}${besides}`, why];
  });
  return `## ${program}\n\n${summary}\n\n${table([['Flag', 'Verdict', 'Why'], ...rows])}`;
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
