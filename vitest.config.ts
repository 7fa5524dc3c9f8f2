import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Most code runs only a few times in a test: V8 optimizes code later than it would in a server, and collects young objects less often.
 * Together this takes about a fifth less processor time. Test runs of single files also use these flags.
 */
for (const flag of ['--interrupt-budget=1000000', '--max-semi-space-size=64']) setFlagsFromString(flag);

/** `keelson/…` is this repository, as tsconfig.json says. */
const { compilerOptions } = JSON.parse(readFileSync(join(import.meta.dirname, 'tsconfig.json'), 'utf8')) as {
  compilerOptions: { paths: Record<string, string[]> };
};
const alias = Object.entries(compilerOptions.paths)
  .filter(([name]) => !name.includes('*'))
  .map(([name, [path = '']]) => ({ find: new RegExp(`^${name}$`), replacement: join(import.meta.dirname, path) }));

/** A limit catches what hangs; on a busy machine a test may take many times as long as on a quiet one. */
const HANGS_AFTER_MS = 4 * 60_000;

/** These take longest: what begins last must not be what all the others are waited for. */
const LONG =
  /(dashboard\/dashboard|explore\/planted\/planted|commands\/explore|planted-dra|heap-watch|crash-points|every-kind|streams|replay|long-run|package|workers|apply|budget|create|test-runners|deployed-operator|take-over|pod-removal|real-work|hostile-connections|etcd-outages|faults|real-cluster)\.test\.ts$/;

/** Folders of what has changed, for `npm test -- --changed`: the tests beside it tell soonest. */
const near = (process.env['KEELSON_TEST_FIRST'] ?? '').split(':').filter((folder) => folder !== '');

/** Files in these folders first, then long ones, then as vitest would have it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const folder = relative(import.meta.dirname, dirname(moduleId));
      return near.includes(folder) ? 0 : LONG.test(moduleId) ? 1 : 2;
    };
    return sorted.toSorted((left, right) => place(left) - place(right));
  }
}

export default defineConfig({
  resolve: { alias },
  test: {
    include: [
      'src/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'peers/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    setupFiles: ['test/property-seed.ts'],
    isolate: false,
    pool: 'threads',
    maxWorkers: availableParallelism() + 1, // many tests wait for other processes
    sequence: { sequencer: LongestFirst },
    // an entry's name is a hash of all that the transform depends on; worktrees that share node_modules have caches of their own
    experimental: { fsModuleCache: true, fsModuleCachePath: '.vitest-cache' },
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    expect: { poll: { timeout: HANGS_AFTER_MS / 2 } },
  },
});
