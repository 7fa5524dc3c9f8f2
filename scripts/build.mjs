// Builds what is published and started: generated tables, the bundles in dist/, type declarations (with --types).
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

export async function buildBundles() {
  run('scripts/run.mjs', 'scripts/generate.ts');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      keelson: 'src/cli/main.ts',
      server: 'src/cluster/index.ts',
      kit: 'src/kit/published.ts',
      client: 'src/client/index.ts',
      cel: 'src/cel/index.ts',
      testing: 'src/testing/index.ts',
    },
    outdir: 'dist',
    metafile: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    legalComments: 'none',
    logLevel: 'warning',
    define: { KEELSON_VERSION: JSON.stringify(version) },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  await chmod(join(root, 'dist', 'keelson.js'), 0o755);
  await removeOthers(new Set(Object.keys(metafile.outputs).map((path) => join(root, path))));
}

/** Chunks of earlier builds: their names say what was in them, so nobody overwrites them. */
async function removeOthers(outputs) {
  for (const entry of await readdir(join(root, 'dist'), { withFileTypes: true })) {
    const path = join(root, 'dist', entry.name);
    if (entry.isFile() && !outputs.has(path)) await rm(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildBundles();
  if (process.argv.includes('--types')) {
    run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  }
}
