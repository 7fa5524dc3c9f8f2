import { build, type BuildOptions, type Plugin } from 'esbuild';

/** The size of a bundle, in KB of 1024 bytes. */
export interface Bundled {
  /** What is loaded when the program starts. */
  readonly loadedKb: number;
  /** All in one file, with what may be loaded later. */
  readonly wholeKb: number;
  /** The same without the reading of kubeconfigs, which pods do not need. */
  readonly forPodsKb: number;
}

const lazyIsElsewhere: Plugin = {
  name: 'lazy-is-elsewhere',
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined)),
};

/** A program as others bundle it, with all that it needs: its text, and the folder where it finds the package. */
export async function bundled(contents: string, resolveDir: string): Promise<Bundled> {
  const sizeKb = async (options: Pick<BuildOptions, 'plugins' | 'external'>): Promise<number> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir },
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      write: false,
      logLevel: 'error',
      ...options,
    });
    return (outputFiles[0]?.contents.length ?? 0) / 1024;
  };
  return {
    loadedKb: await sizeKb({ plugins: [lazyIsElsewhere] }),
    wholeKb: await sizeKb({}),
    forPodsKb: await sizeKb({ external: ['keelson/kubeconfig'] }),
  };
}
