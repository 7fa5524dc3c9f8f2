import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');

/** Makes one file of a plugin, as docs/guides/cni.md and docs/guides/flexvolume.md say, and returns its path. */
export async function bundlePlugin(main: string, outfile: string, root = ROOT): Promise<string> {
  await build({
    entryPoints: [main],
    outfile,
    bundle: true,
    platform: 'node',
    format: outfile.endsWith('.mjs') ? 'esm' : 'cjs',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
  return outfile;
}
