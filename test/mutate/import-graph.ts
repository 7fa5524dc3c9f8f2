import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)\s*import\s+'([^']+)'/g;

/** Tests that say much about all of the server, and are worth an early look where they can notice. */
const BROAD = [
  'test/differential/replay.test.ts',
  'src/resources/scenarios.test.ts',
  'src/testing/composition.test.ts',
];

/** Which files of a checkout run which others. */
export class ImportGraph {
  readonly #importers = new Map<string, string[]>();

  constructor(root: string) {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: { paths: Record<string, string[]> };
    };
    const folders = ['src', 'test', 'scripts', 'bench', 'examples', 'peers'];
    for (const file of folders.flatMap((folder) => sourcesUnder(folder, root))) {
      for (const match of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
        const target = match[1] ?? match[2] ?? match[3] ?? '';
        const path = target.startsWith('.')
          ? relative(root, resolve(root, dirname(file), target))
          : compilerOptions.paths[target]?.[0]?.replace(/^\.\//, '');
        if (path !== undefined) this.#importers.set(path, [...(this.#importers.get(path) ?? []), file]);
      }
    }
  }

  /** The tests that run a file, those first that are next to it or reach it in few steps. */
  testsOf(file: string): string[] {
    const distances = new Map([[file, 0]]);
    for (const [path, distance] of distances) {
      for (const importer of this.#importers.get(path) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1);
      }
    }
    const rank = (test: string): number =>
      BROAD.includes(test) ? 2 : (distances.get(test) ?? 0) - 2 * sharedFolders(test, file);
    return [...distances.keys()]
      .filter((path) => path.endsWith('.test.ts'))
      .toSorted((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  }
}

function sharedFolders(left: string, right: string): number {
  const [ours, theirs] = [dirname(left).split('/'), dirname(right).split('/')];
  const first = ours.findIndex((folder, index) => folder !== theirs[index]);
  return first < 0 ? ours.length : first;
}

/** The TypeScript files in a folder of a checkout, in order. */
export function sourcesUnder(folder: string, root: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
    .sort();
}
