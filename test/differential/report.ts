import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseId } from './case.ts';
import { grouped } from './grouped.ts';
import type { CaseVerdict } from './judge-case.ts';

/** Writes docs/reference/differential.md from the verdicts of a whole run. */
export function writeReport(verdicts: readonly CaseVerdict[]): void {
  const path = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'differential.md');
  writeFileSync(path, reportText(verdicts));
}

/** The page: a row a topic, then every listed difference under its reason. */
export function reportText(verdicts: readonly CaseVerdict[]): string {
  const rows = [...grouped(verdicts, ({ played }) => played.topic)].map(([topic, ofTopic]) => row(topic, ofTopic));
  return `# Answers compared with kube-apiserver 1.36.3

Made by \`npm run differential\`: the requests of each case in \`test/differential/cases\` are sent to a real kube-apiserver and to ours;
status, headers and bodies are compared after uids, times, resourceVersions (by rank), generated names and allocated addresses are normalised.
\`npm test\` replays the cases against the recorded real answers. How to add a case is in \`test/differential/README.md\`.

| topic | cases | compared requests | cases all the same | cases with listed differences | cases with others |
|---|---|---|---|---|---|
${rows.join('\n')}
${row('**all**', verdicts)}

## Listed differences

From \`test/differential/known-differences.yaml\`; an entry that no longer differs fails the tests.

${reasons(verdicts)}
`;
}

function row(topic: string, verdicts: readonly CaseVerdict[]): string {
  const requests = verdicts.flatMap(({ played }) => played.steps).filter(({ isSetup }) => !isSetup).length;
  const other = verdicts.filter(({ unexpected }) => unexpected.length > 0).length;
  const listed = verdicts.filter(({ unexpected, known }) => unexpected.length === 0 && known.length > 0).length;
  return `| ${topic} | ${verdicts.length} | ${requests} | ${verdicts.length - other - listed} | ${listed} | ${other} |`;
}

function reasons(verdicts: readonly CaseVerdict[]): string {
  const known = verdicts.flatMap(({ played, known: differences }) =>
    differences.map(({ reason }) => ({ reason, id: caseId(played) })),
  );
  return [...grouped(known, ({ reason }) => reason)]
    .map(([reason, places]) => {
      const ids = [...new Set(places.map(({ id }) => `\`${id}\``))];
      return `- ${reason} (${ids.join(', ')})`;
    })
    .join('\n');
}
