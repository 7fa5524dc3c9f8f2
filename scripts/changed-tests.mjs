// Which tests `npm test -- --changed` runs: those that reach what has changed.
import { spawnSync } from 'node:child_process';
import { posix } from 'node:path';

/** A change of these concerns every test. */
const CONCERNS_ALL = new Set(['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts']);
/** Compiled into tables that are not under version control, which everything imports. */
const COMPILED = { '.api': 'src/api/generated/table.ts' };

/** The files that differ from a revision of git, new ones included; paths from the top of the repository. */
export function changedSince(revision, root) {
  const lists = [
    ['diff', '--name-only', '-z', revision, '--'],
    ['ls-files', '--others', '--exclude-standard', '-z'],
  ];
  return lists.flatMap((args) => lines(args, root));
}

export function trackedTests(root) {
  return lines(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.test.ts'], root);
}

function lines(args, root) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`Cannot tell what has changed: git ${args[0]}: ${stderr.trim()}`);
  return stdout.split('\0').filter((line) => line !== '');
}

/**
 * What to hand to `vitest related`, which follows imports from there; `'all'` when the change concerns every test.
 *
 * Modules stand for themselves. Data that is read and not imported (JSON, YAML, recorded answers) stands for the tests of the nearest
 * folder above it that has any. Documents have no tests: the docs check, which always runs, is theirs.
 */
export function related(changed, tests) {
  if (changed.some((path) => CONCERNS_ALL.has(path))) return 'all';
  return [...new Set(changed.flatMap((path) => reached(path, tests)))].sort();
}

function reached(path, tests) {
  const extension = posix.extname(path);
  if (COMPILED[extension] !== undefined) return [COMPILED[extension]];
  if (extension === '.md') return [];
  if (/^\.[cm]?[jt]s$/.test(extension)) return [path];
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
    const beside = tests.filter((test) => posix.dirname(test) === folder);
    if (beside.length > 0) return beside;
  }
  return [];
}
