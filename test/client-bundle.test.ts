import { build, type Metafile } from 'esbuild';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Everything that importing a published door loads, when it is bundled beside the others as it is published. */
async function loadedBy(door: 'client' | 'kit'): Promise<{ files: Map<string, number>; packages: Set<string> }> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      server: 'src/cluster/index.ts',
      client: 'src/client/index.ts',
      kit: 'src/kit/published.ts',
      cel: 'src/cel/index.ts',
    },
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    logLevel: 'silent',
    define: { KEELSON_VERSION: '""' },
  });
  const files = new Map<string, number>();
  const packages = new Set<string>();
  for (const output of reachable(metafile, `dist/${door}.js`)) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
      if (bytesInOutput > 0) files.set(path, bytesInOutput);
    for (const { path, external } of output.imports) if (external === true) packages.add(path);
  }
  return { files, packages };
}

function reachable(metafile: Metafile, entry: string): readonly Metafile['outputs'][string][] {
  const paths = new Set([entry]);
  for (const path of paths)
    for (const { path: to } of metafile.outputs[path]?.imports ?? []) if (to in metafile.outputs) paths.add(to);
  return [...paths].flatMap((path) => metafile.outputs[path] ?? []);
}

test('the client loads no server code, no tables of types, no native module and not much of anything', async () => {
  const { files, packages } = await loadedBy('client');

  const folders = new Set([...files.keys()].map((path) => path.split('/').slice(0, 2).join('/')));
  expect([...folders].sort()).toEqual(['node_modules/js-yaml', 'src/api', 'src/base', 'src/client']);
  expect([...files.keys()].filter((path) => path.includes('src/api/generated'))).toEqual([]);
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(400_000);
});

test('the kit loads itself and the client, and nothing else', async () => {
  const { files, packages } = await loadedBy('kit');

  const folders = new Set([...files.keys()].map((path) => path.split('/').slice(0, 2).join('/')));
  expect([...folders].sort()).toEqual(['node_modules/js-yaml', 'src/api', 'src/base', 'src/client', 'src/kit']);
  expect([...files.keys()].filter((path) => path.includes('src/api/generated'))).toEqual([]);
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(450_000);
});
