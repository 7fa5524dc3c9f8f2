import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom } from '../../base/index.ts';
import { type ClusterConnection, HttpTransport } from '../../client/index.ts';
import { TracingProxy } from './tracing-proxy.ts';

/** Runs a command and traces the requests that it sends through its kubeconfig; returns the ids of the traces. */
export async function traceCommand(
  command: readonly string[],
  connection: ClusterConnection,
  options: { readonly environment: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<{ readonly traces: readonly string[]; readonly code: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-trace-'));
  try {
    await using transport = new HttpTransport(connection);
    await using proxy = await TracingProxy.start(transport, new CryptoRandom());
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(proxy.url, connection), { mode: 0o600 });
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      stdio: 'inherit',
      env: { ...options.environment, KUBECONFIG: kubeconfig },
      signal: options.signal,
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { traces: proxy.traces, code: code ?? 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function kubeconfigOf(server: string, { namespace }: ClusterConnection): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'traced', cluster: { server } }],
    users: [{ name: 'traced', user: {} }],
    contexts: [{ name: 'traced', context: { cluster: 'traced', user: 'traced', namespace } }],
    'current-context': 'traced',
  });
}
