// Checks the types of the tree and of the documents' samples in one run of the compiler, which keeps what it learnt for the next one.
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findDocuments, samplesIn } from './documents.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules', '.cache', 'keelson-types');

const places = await writeSamples();
const { include, exclude } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as {
  readonly include: string[];
  readonly exclude: string[];
};
await writeIfChanged(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    extends: '../../../tsconfig.json',
    compilerOptions: { incremental: true, tsBuildInfoFile: 'types.tsbuildinfo' },
    include: ['sample-*.ts', ...include.map((path) => `../../../${path}`)],
    exclude: exclude.map((path) => `../../../${path}`),
  }),
);
const tree = compile(folder, []);
// the dashboard's page runs in browsers, so it has other globals than all the rest
const page = compile(join(root, 'src', 'dashboard', 'page'), [
  '--incremental',
  '--tsBuildInfoFile',
  join(folder, 'page.tsbuildinfo'),
]);
const text = `${tree.text}${page.text}`.replaceAll(
  /^.*sample-(\d+)\.ts(?=\()/gm,
  (_, index: string) => `${places[Number(index)]}: sample does not compile`,
);
if (text !== '') console.error(text.trimEnd());
console.log(`types: the tree, the dashboard's page and ${places.length} samples`);
process.exit(tree.status === 0 && page.status === 0 ? 0 : 1);

function compile(
  project: string,
  options: readonly string[],
): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['--noEmit', '--pretty', 'false', '-p', project, ...options],
    { cwd: root, encoding: 'utf8' },
  );
  return { status, text: `${stdout}${stderr}` };
}

/** Where each sample stands, by its number. */
async function writeSamples(): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const found: { readonly from: string; readonly code: string }[] = [];
  for (const path of await findDocuments(root)) {
    for (const { line, code } of samplesIn(await readFile(path, 'utf8')))
      found.push({ from: `${relative(root, path)}:${line}`, code });
  }
  for (const [index, { code }] of found.entries())
    await writeIfChanged(join(folder, `sample-${index}.ts`), `${code}\nexport {};\n`);
  const stale = (await readdir(folder)).filter((name) => Number(/^sample-(\d+)\.ts$/.exec(name)?.[1]) >= found.length);
  for (const name of stale) await rm(join(folder, name), { force: true });
  return found.map(({ from }) => from);
}

async function writeIfChanged(path: string, content: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) !== content) await writeFile(path, content);
}
