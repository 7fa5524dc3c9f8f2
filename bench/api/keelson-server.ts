import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitNamespaces } from './await-ready.ts';
import { launch, rssMbOf, type ServerUnderTest, stopAll, TOKEN_FILE } from './server.ts';

/** `keelson up` from the bundle, on the durable store. */
export async function startKeelson(folder: string, port: number): Promise<ServerUnderTest> {
  await mkdir(folder, { recursive: true });
  const tokens = join(folder, 'tokens');
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(tokens, TOKEN_FILE);
  const bundle = join(process.cwd(), 'dist', 'keelson.js');
  const started = performance.now();
  const child = launch(process.execPath, [
    bundle,
    'up',
    '--data-dir',
    join(folder, 'data'),
    '--port',
    String(port),
    '--kubeconfig-out',
    kubeconfig,
    '--token-auth-file',
    tokens,
  ]);
  const startMs = await awaitNamespaces(kubeconfig, started);
  return {
    name: 'keelson',
    url: `https://127.0.0.1:${port}`,
    kubeconfig,
    startMs,
    rssMb: () => rssMbOf([child]),
    stop: async () => void (await stopAll([child])),
  };
}
