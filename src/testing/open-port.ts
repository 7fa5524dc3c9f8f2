import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, kubeconfigText } from '../cluster/index.ts';

/** A port of a cluster and its kubeconfig file. Disposing removes the file. */
export interface OpenPort extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** Makes the cluster listen on a local port. */
export async function openPort(plane: ControlPlane): Promise<OpenPort> {
  await plane.listen({ host: '127.0.0.1', port: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(plane.access), { mode: 0o600 });
  return { kubeconfig, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
