// Builds what is published and started: generated tables, the bundles in dist/, type declarations (with --types).
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
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
  await build({
    absWorkingDir: root,
    entryPoints: {
      keelson: 'src/cli/main.ts',
      server: 'src/cluster/index.ts',
      kit: 'src/kit/published.ts',
      client: 'src/client/index.ts',
      cel: 'src/cel/index.ts',
    },
    outdir: 'dist',
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
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildBundles();
  if (process.argv.includes('--types')) {
    run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  }
}
