import type { Trial } from './compare-objects.ts';
import type { Definition } from './definition.ts';
import { type Difference, differenceText } from '../support/differences.ts';
import type { Project } from './projects.ts';

/** What came of one project. */
export interface ProjectResult {
  readonly project: Project;
  readonly definitions: readonly Definition[];
  /** Differences of definitions, discovery and OpenAPI v3. */
  readonly differences: readonly Difference[];
  readonly trials: readonly Trial[];
}

const SHOWN_DIFFERENCES = 5;

export function resultLine(result: ProjectResult): string {
  const { versions, objects, accepted, equal } = totals([result]);
  return `${result.project.name}: ${result.definitions.length} definitions (${result.differences.length} differences), ${versions} kind versions, ${objects} objects (${accepted} accepted), ${equal} equal`;
}

/** docs/reference/wild.md. */
export function wildDocument(results: readonly ProjectResult[], openApi: readonly Difference[]): string {
  const sum = totals(results);
  const definitions = results.reduce((total, result) => total + result.definitions.length, 0);
  const remaining = results.flatMap(remainingOf);
  const documents = openApi.slice(0, SHOWN_DIFFERENCES).map((one) => `- OpenAPI v2: ${cell(differenceText(one))}`);
  return [
    '# Definitions in the wild',
    '',
    '`npm run wild` fetches the published definitions of the projects below from the registries of Go and Maven, installs them on Keelson and on a real kube-apiserver 1.36, and compares: the definitions',
    'as they are stored with their status, discovery, OpenAPI v3 and v2 (without the words about generic fields), and the answers to objects that are created with `dryRun=All`: code, causes, defaulted object,',
    "managed fields and warnings. Objects are the projects' own manifests, objects made from the schemas with a seed (and repaired by what the real server complains of), and those spoilt in one place: wrong type, null,",
    'out of bounds, against pattern, enum or format, twins, unknown and missing fields.',
    '',
    '| project | version | definitions | kind versions | objects | accepted by the real one | equal | different |',
    '|---|---|---|---|---|---|---|---|',
    ...results.map((result) => {
      const { versions, objects, accepted, equal } = totals([result]);
      const { name, source } = result.project;
      return `| ${name} | ${source.version} | ${result.definitions.length} | ${versions} | ${objects} | ${accepted} | ${equal} | ${objects - equal} |`;
    }),
    `| all | | ${definitions} | ${sum.versions} | ${sum.objects} | ${sum.accepted} | ${sum.equal} | ${sum.objects - sum.equal} |`,
    '',
    'Strimzi publishes no manifests in a registry; its definitions are made by its own generator from its classes, as its build does.',
    '',
    ...(remaining.length + documents.length === 0
      ? ['Definitions, discovery and OpenAPI are equal.', '']
      : ['## What differs', '', ...remaining, ...documents, '']),
  ].join('\n');
}

function remainingOf({ project, differences, trials }: ProjectResult): string[] {
  const unequal = trials.flatMap((trial) => trial.unequal);
  return [
    ...differences.slice(0, SHOWN_DIFFERENCES).map((one) => `- ${project.name}: ${cell(differenceText(one))}`),
    ...unequal.slice(0, SHOWN_DIFFERENCES).map(({ title, differences: [first] }) => {
      const text = first === undefined ? '' : differenceText(first);
      return `- ${project.name}, ${title}: ${cell(text)}`;
    }),
  ];
}

function totals(results: readonly ProjectResult[]): {
  versions: number;
  objects: number;
  accepted: number;
  equal: number;
} {
  const trials = results.flatMap((result) => result.trials);
  const sum = (of: (trial: Trial) => number): number => trials.reduce((total, trial) => total + of(trial), 0);
  const objects = sum((trial) => trial.objects);
  return {
    versions: trials.length,
    objects,
    accepted: sum((trial) => trial.accepted),
    equal: objects - sum(({ unequal }) => unequal.length),
  };
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}
