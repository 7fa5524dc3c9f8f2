import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ImportGraph } from './import-graph.ts';
import { markAt, marksOf } from './marks.ts';

/** What record-setup.ts writes about one test file: the numbers of the marks it executes, by source file. */
interface Executed {
  readonly test: string;
  readonly durationMs: number;
  readonly files: Readonly<Record<string, readonly number[]>>;
}

/** A test file, and how long it took as it was recorded. */
export interface RankedTest {
  readonly test: string;
  readonly durationMs: number;
}

/** Assumed duration of test files that were never recorded. */
const UNKNOWN_MS = 5000;
/** Recording slows tests down, and so may whatever else the machine does; only those that hang are to fail. */
const RECORDING_TEST_MS = 180_000;
/** A test beside the source is likelier to notice, and goes before others that are this much quicker. */
const WORTH_OF_NEARNESS = 10;

/** Which test files execute which statements of src/, as seen in one run of every test. */
export class ExecutionRecord {
  readonly #root: string;
  readonly #graph: ImportGraph;
  readonly #executed: readonly Executed[];
  readonly #failing: ReadonlySet<string>;
  readonly #digests: Readonly<Record<string, string>>;

  constructor(root: string, folder: string, graph: ImportGraph) {
    this.#root = root;
    this.#graph = graph;
    this.#executed = readdirSync(join(folder, 'tests')).map(
      (name) => JSON.parse(readFileSync(join(folder, 'tests', name), 'utf8')) as Executed,
    );
    const { testResults } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
      testResults: { name: string; status: string }[];
    };
    this.#failing = new Set(
      testResults.filter(({ status }) => status !== 'passed').map(({ name }) => relative(root, name)),
    );
    this.#digests = JSON.parse(readFileSync(join(folder, 'digests.json'), 'utf8')) as Record<string, string>;
  }

  /** Whether a test file passed without any fault. */
  hasPassed(test: string): boolean {
    return !this.#failing.has(test) && this.#executed.some((one) => one.test === test);
  }

  /** The tests that execute an offset of a source file: those near it and the quick ones first. */
  testsOf(file: string, offset: number): RankedTest[] {
    const source = readFileSync(join(this.#root, file), 'utf8');
    const mark = this.#digests[file] === digestOf(source) ? markAt(marksOf(source), offset) : undefined;
    const first = this.#executed.filter(({ files }) =>
      mark === undefined ? files[file] !== undefined : files[file]?.includes(mark) === true,
    );
    const recorded = new Set(this.#executed.map(({ test }) => test));
    const known = new Set(first.map(({ test }) => test));
    const isNew = (test: string): boolean => !recorded.has(test) || (!known.has(test) && this.#isChanged(test));
    const unknown = this.#graph.testsOf(file).filter(isNew);
    const named = new Set(first);
    const others = first.length > 0 && mark !== undefined ? [] : this.#importing(file).filter((one) => !named.has(one));
    const rank = ({ test, durationMs }: RankedTest): number =>
      dirname(test) === dirname(file) ? durationMs / WORTH_OF_NEARNESS : durationMs;
    const ranked = (tests: readonly RankedTest[]): RankedTest[] =>
      tests
        .filter(({ test }) => !this.#failing.has(test) && existsSync(join(this.#root, test)))
        .toSorted((left, right) => rank(left) - rank(right));
    return [...ranked([...first, ...unknown.map((test) => ({ test, durationMs: UNKNOWN_MS }))]), ...ranked(others)].map(
      ({ test, durationMs }) => ({ test, durationMs }),
    );
  }

  /** Whether a test beside the sources has changed since. */
  #isChanged(test: string): boolean {
    const digest = this.#digests[test];
    return digest !== undefined && digest !== digestOf(readFileSync(join(this.#root, test), 'utf8'));
  }

  /** What executes none of a file's functions may still read its constants, or run it in its own process. */
  #importing(file: string): Executed[] {
    const tests = new Set(this.#graph.testsOf(file));
    return this.#executed.filter(({ test }) => tests.has(test));
  }
}

/** Runs every test once and keeps in `folder` what each test file executes. */
export async function recordExecution(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'tests'), { recursive: true });
  const digests = Object.fromEntries(
    readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('src', name))
      .map((file) => [file, digestOf(readFileSync(join(root, file), 'utf8'))]),
  );
  const args = [
    'run',
    '--config',
    join('test', 'mutate', 'vitest.config.ts'),
    '--reporter=json',
    `--testTimeout=${RECORDING_TEST_MS}`,
  ];
  const child = spawn(
    join(root, 'node_modules', '.bin', 'vitest'),
    [...args, `--outputFile=${join(folder, 'report.json')}`],
    { cwd: root, stdio: 'ignore', env: { ...process.env, KEELSON_MARKS_FOLDER: join(folder, 'tests') } },
  );
  await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  writeFileSync(join(folder, 'digests.json'), JSON.stringify(digests));
}

function digestOf(source: string): string {
  return createHash('sha256').update(source).digest('base64');
}
