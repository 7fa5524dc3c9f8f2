// Builds what is published and started: generated tables, the bundles in dist/ and, unless only those are asked for, type declarations.
import { build, transform } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from './build-dashboard.mjs';
import { withSmallDisposal } from './disposal-helpers.mjs';
import { nodeHttp } from './node-http.mjs';
import { pureCalls, withPureVariables } from './pure-variables.mjs';
import { yamlParser } from './yaml-parser.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const types = join(root, 'dist', 'types');

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The doors with code, as package.json publishes them: the bundle's name and the source it is made of.
 * Example: `./dist/kit.js` with the types `./dist/types/kit/published.d.ts` is made of `src/kit/published.ts`.
 */
function doorsOf({ exports }) {
  const doors = Object.values(exports).filter((door) => door.default?.endsWith('.js'));
  return doors.map((door) => ({
    name: basename(door.default, '.js'),
    source: door.types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts'),
    types: join(root, door.types),
  }));
}

async function readPackage() {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
}

/**
 * What is large and seldom needed is found at doors of the package. Bundlers of others do not see that of servers, which they would take along with every operator;
 * that of kubeconfigs they take, unless `keelson/kubeconfig` is declared external.
 */
const codeBehindDoors = {
  name: 'code-behind-doors',
  setup({ onResolve }) {
    onResolve({ filter: /\/load-server-code\.ts$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, 'find-server-code.ts'),
      sideEffects: false,
    }));
    onResolve({ filter: /\/kubeconfig-code\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: 'keelson/kubeconfig', external: true } : undefined,
    );
  },
};

export async function buildBundles() {
  run('scripts/run.mjs', 'scripts/generate.ts');
  const manifest = await readPackage();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      keelson: 'src/cli/main.ts',
      ...Object.fromEntries(doorsOf(manifest).map(({ name, source }) => [name, source])),
    },
    outdir: 'dist',
    metafile: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'none',
    plugins: [yamlParser, codeBehindDoors, nodeHttp],
    logLevel: 'warning',
    define: { KEELSON_VERSION: JSON.stringify(manifest.version) },
  });
  await shrink(Object.keys(metafile.outputs).map((path) => join(root, path)));
  await chmod(join(root, 'dist', 'keelson.js'), 0o755);
  const dashboard = await buildDashboard();
  const licenses = await writeLicenses([...Object.keys(metafile.inputs), ...dashboard.inputs]);
  await removeOthers(new Set([licenses, ...Object.keys(metafile.outputs).map((path) => join(root, path))]));
}

/**
 * Chunks do nothing when they are loaded. So their variables are marked as made by calls without effects, for bundlers of others to leave out
 * unused code; and imports from which nothing is used are left out, because bundlers would warn of them.
 */
async function shrink(paths) {
  for (const path of paths.filter((name) => name.endsWith('.js'))) {
    const { code } = await transform(withPureVariables(withSmallDisposal(await readFile(path, 'utf8'))), {
      target: 'node20',
      // names stay as they are: calls that keep them would keep unused code in users' bundles
      minifySyntax: true,
      minifyWhitespace: true,
    });
    await writeFile(path, pureCalls(code).replaceAll(/import"\.\/chunk-[0-9A-Z]+\.js";/g, ''));
  }
}

/** The licenses of the packages that are inside the bundles; they ask to go with every copy. */
async function writeLicenses(inputs) {
  const packages = inputs.map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const texts = [...new Set(packages)].sort().map(async (path) => {
    if (path === undefined) return [];
    const file = (await readdir(join(root, path))).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`Cannot bundle "${path}": it has no license file`);
    return [path.replace('node_modules/', ''), await readFile(join(root, path, file), 'utf8')];
  });
  const path = join(root, 'dist', 'THIRD-PARTY-LICENSES.txt');
  await writeFile(path, (await Promise.all(texts)).flat().join('\n\n'));
  return path;
}

/** Chunks of earlier builds: their names depend on their contents, so a new build does not overwrite them. */
async function removeOthers(outputs) {
  for (const entry of await readdir(join(root, 'dist'), { withFileTypes: true })) {
    const path = join(root, 'dist', entry.name);
    if (entry.isFile() && !outputs.has(path)) await rm(path);
  }
}

async function buildTypes() {
  await rm(types, { recursive: true, force: true });
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  await cp(join(root, 'src', 'api', 'types'), join(types, 'api', 'types'), { recursive: true });
  const doors = doorsOf(await readPackage()).map((door) => door.types);
  await keepReachable([...doors, ...(await declarationsUnder(join(types, 'api', 'types')))]);
  for (const door of doors) await writeFile(door, `/// <reference types="node" />\n${await readFile(door, 'utf8')}`);
}

/** Removes the declarations that no door leads to; in the others, imports end in `.js`, which every TypeScript resolves. */
async function keepReachable(doors) {
  const reached = new Set(doors);
  for (const path of reached) {
    const text = await readFile(path, 'utf8');
    const pattern = /((?:from |import\(|import )['"])(\.\.?\/[^'"]+?)(?:\.d)?\.ts(?=['"])/g;
    for (const [, , target] of text.matchAll(pattern)) reached.add(`${resolve(dirname(path), target)}.d.ts`);
    await writeFile(path, text.replaceAll(pattern, '$1$2.js'));
  }
  for (const path of await declarationsUnder(types)) if (!reached.has(path)) await rm(path);
}

async function declarationsUnder(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildBundles();
  if (!process.argv.includes('--bundles-only')) await buildTypes();
}
