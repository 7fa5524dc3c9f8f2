// Builds the dashboard's page: src/dashboard/page into dist/dashboard, with hashed names and compressed copies beside each file.
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src', 'dashboard', 'page');
const defaultTarget = join(root, 'dist', 'dashboard');

/** The page, its style and all code that it loads before anybody has chosen anything, each compressed by gzip. */
export const MAX_FIRST_VIEW_BYTES = 80 * 1024;

/** Builds the page into a folder, which is replaced. Resolves to the inputs of the bundle, for their licenses, and the size of the first view. Throws when that is above its limit. */
export async function buildDashboard(target = defaultTarget) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: join(source, 'main.tsx') },
    outdir: join(target, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    metafile: true,
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: ['chrome120', 'firefox120', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const outputs = metafile.outputs;
  const main = Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith('/main.tsx'));
  const first = [...loadedFirst(outputs, main), outputs[main].cssBundle].filter((path) => path !== undefined);
  const page = await writePage(first, main, outputs[main].cssBundle);
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, 'assets'), { recursive: true });
  const sizes = new Map();
  for (const { path, contents } of outputFiles) sizes.set(basename(path), await writeCompressed(path, contents));
  sizes.set('index.html', await writeCompressed(join(target, 'index.html'), Buffer.from(page)));
  const firstBytes = ['index.html', ...first].reduce((sum, path) => sum + sizes.get(basename(path)), 0);
  if (firstBytes > MAX_FIRST_VIEW_BYTES)
    throw new Error(
      `Cannot build the dashboard: its first view has ${firstBytes} bytes, at most ${MAX_FIRST_VIEW_BYTES}`,
    );
  return { inputs: Object.keys(metafile.inputs), firstBytes, sizes };
}

/** A file and the files that it imports without waiting, and so on. */
function loadedFirst(outputs, main) {
  const reached = new Set([main]);
  for (const path of reached) {
    for (const { path: imported, kind } of outputs[path].imports)
      if (kind === 'import-statement') reached.add(imported);
  }
  return [...reached];
}

/** Paths are relative: the page may be served below any path. */
async function writePage(first, main, style) {
  const name = (path) => `assets/${basename(path)}`;
  const preloads = first
    .filter((path) => path !== main && path.endsWith('.js'))
    .map((path) => `<link rel="modulepreload" href="${name(path)}">`);
  const links = [`<link rel="stylesheet" href="${name(style)}">`, ...preloads];
  const template = await readFile(join(source, 'index.html'), 'utf8');
  return template.replace(
    '<!-- assets -->',
    [...links, `<script type="module" src="${name(main)}"></script>`].join('\n    '),
  );
}

/** Resolves to the bytes by gzip. */
async function writeCompressed(path, contents) {
  const [byGzip, byBrotli] = await Promise.all([
    promisify(gzip)(contents, { level: 9 }),
    promisify(brotliCompress)(contents, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length },
    }),
  ]);
  await Promise.all([writeFile(path, contents), writeFile(`${path}.gz`, byGzip), writeFile(`${path}.br`, byBrotli)]);
  return byGzip.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && basename(process.argv[1]) === 'build-dashboard.mjs') {
  const { firstBytes, sizes } = await buildDashboard();
  for (const [name, bytes] of sizes) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${name}`);
  console.log(`${(firstBytes / 1024).toFixed(1).padStart(8)} KB  first view`);
}
