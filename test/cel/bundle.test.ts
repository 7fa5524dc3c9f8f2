import { build, type Metafile } from 'esbuild';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Everything that `import 'keelson/cel'` loads, when it is bundled beside the server as it is published. */
async function loaded(): Promise<Map<string, number>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { server: 'src/cluster/index.ts', cel: 'src/cel/index.ts' },
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
  for (const output of reachable(metafile, 'dist/cel.js')) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
      if (bytesInOutput > 0) files.set(path, bytesInOutput);
  }
  return files;
}

function reachable(metafile: Metafile, entry: string): readonly Metafile['outputs'][string][] {
  const paths = new Set([entry]);
  for (const path of paths)
    for (const { path: to } of metafile.outputs[path]?.imports ?? []) if (to in metafile.outputs) paths.add(to);
  return [...paths].flatMap((path) => metafile.outputs[path] ?? []);
}

test('the expression language loads no server, no tables of types and no other package', async () => {
  const files = await loaded();

  const folders = new Set(
    [...files.keys()].map((path) =>
      path
        .split('/')
        .slice(0, 3)
        .join('/')
        .replace(/\/[^/]*\.ts$/, ''),
    ),
  );
  expect([...folders].filter((folder) => !folder.startsWith('src/cel')).sort()).toEqual(['src/api/values', 'src/base']);
  expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(300_000);
});
