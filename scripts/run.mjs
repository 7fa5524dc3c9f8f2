// Runs one of the repository's TypeScript programs on any supported Node: bundles it in memory, then executes it.
import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run.mjs PROGRAM.ts [ARGUMENTS]');
  process.exit(2);
}
const folder = await mkdtemp(join(root, 'node_modules', '.run-'));
const outfile = join(folder, 'program.mjs');
await build({
  entryPoints: [resolve(entry)],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  tsconfig: join(root, 'tsconfig.json'), // also for files of a template, which has its own
  sourcemap: 'inline',
  logLevel: 'warning',
  define: { 'import.meta.dirname': JSON.stringify(dirname(resolve(entry))) },
});
process.argv = [process.argv[0], outfile, ...args]; // programs that start themselves again find what can be started
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
try {
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(folder, { recursive: true, force: true });
}
