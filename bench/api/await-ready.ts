import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Polls `kubectl get ns` until it answers; answers with the milliseconds since `started`. */
export async function awaitNamespaces(kubeconfig: string, started: number): Promise<number> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { status, stdout } = spawnSync('kubectl', ['get', 'ns'], {
      env: { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: `${kubeconfig}.cache` },
      encoding: 'utf8',
    });
    if (status === 0 && stdout.includes('kube-system')) return performance.now() - started;
    await sleep(20);
  }
  throw new Error('the server did not become ready within a minute');
}
