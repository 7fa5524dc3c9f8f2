import { build, type Metafile } from 'esbuild';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default?: string }>>;
};

/** The bundles of the package and their sources: `kit` is `src/kit/published.ts`. */
const entryPoints: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(doors).flatMap((door) =>
    typeof door === 'string' || door.default === undefined
      ? []
      : [[basename(door.default, '.js'), door.types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts')]],
  ),
);

/**
 * Everything that importing a published door loads, when it is bundled beside the others as it is published. What is
 * imported only when it is used (`await import(…)`) is not loaded.
 */
export async function loadedBy(
  door: 'client' | 'kit' | 'cel' | 'scheduler' | 'node',
): Promise<{ files: Map<string, number>; packages: Set<string> }> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
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
    for (const { path: to, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind !== 'dynamic-import' && to in metafile.outputs) paths.add(to);
  return [...paths].flatMap((path) => metafile.outputs[path] ?? []);
}
