import { build } from 'esbuild';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What of the sources ends up in the bundle that `import 'keelson/client'` loads. */
async function bundleClient(): Promise<{
  readonly files: readonly string[];
  readonly packages: readonly string[];
  readonly bytes: number;
}> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/client/index.ts'],
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    files: files.map(([path]) => path),
    packages: (output?.imports ?? []).map(({ path }) => path),
    bytes: output?.bytes ?? 0,
  };
}

test('the client loads no server code, no native module and not much of anything', async () => {
  const { files, packages, bytes } = await bundleClient();

  const folders = new Set(files.map((path) => path.split('/').slice(0, 2).join('/')));
  expect([...folders].sort()).toEqual(['node_modules/js-yaml', 'src/api', 'src/base', 'src/client']);
  expect(files.filter((path) => path.includes('src/api/generated'))).toEqual([]);
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect(bytes).toBeLessThan(250_000);
});
