import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'reference');
export const FIDELITY_PAGE = join(folder, 'fidelity.md');

/** One page on how close we are to the real thing, put together from the pages that the runs have made. */
export async function fidelityPage(): Promise<string> {
  const [conformance, differential, interop] = await Promise.all(
    ['conformance.md', 'differential.md', 'interop.md'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  const [classes = '', second = ''] = tablesOf(conformance ?? '');
  const missing = second.startsWith('| missing')
    ? `What the failing ones wait for:\n\n${second}`
    : 'None of those that are run fails.';
  const [topics = ''] = tablesOf(differential ?? '');
  const [clients = ''] = tablesOf(interop ?? '');
  return `# Fidelity

How close Keelson is to Kubernetes 1.36, as measured with the real thing. Made by \`npm run conformance\`, \`npm run differential\` and
\`npm run interop\` from the pages that they write; \`npm test\` checks that it is what they say.

## Conformance by class

Kubernetes' own end-to-end tests against \`keelson up\`: [each test](conformance.md).

${classes}

${missing}

## Answers by topic

The same requests sent to a real kube-apiserver: [what differs, and why](differential.md).

${topics}

## Other people's clients

The same programs against a real control plane and against ours: [details](interop.md).

${clients}
`;
}

/** Brings the page up to date; for the end of a run. */
export async function writeFidelityPage(): Promise<void> {
  await writeFile(FIDELITY_PAGE, await fidelityPage());
}

function tablesOf(page: string): string[] {
  return [...page.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => table.trimEnd());
}
