import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Programs of this repository run in its root. */
const root = process.cwd();
/** So that nothing is collected while allocations are counted. */
const NODE_FLAGS = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

/** Counts the work in its own process. */
export function runCounts(): Readonly<Record<string, number>> {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...NODE_FLAGS, join(root, 'scripts', 'run.mjs'), join(root, 'bench', 'work', 'counts.ts')],
    { encoding: 'utf8', cwd: root },
  );
  if (status !== 0) throw new Error(`Cannot count the work: ${stderr}`);
  return JSON.parse(stdout) as Record<string, number>;
}
