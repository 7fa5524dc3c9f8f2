import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerNamed } from '../../peers/catalog.ts';
import { freePorts, type RunningKube } from '../../peers/index.ts';

/** What a node and a pod of kwok go through: those that its own page for a quick cluster names. */
const STAGES = ['node/fast', 'node/heartbeat-with-lease', 'pod/fast'];

/** Flags of kwok for all nodes of a server, with stages of its own and more at once than by default: four would hold all up. */
export async function kwokFlags({ folder, kubeconfig }: RunningKube): Promise<readonly string[]> {
  const config = join(folder, 'kwok.yaml');
  const kind = { apiVersion: 'config.kwok.x-k8s.io/v1alpha1', kind: 'KwokConfiguration' };
  const options = {
    manageAllNodes: true,
    podPlayStageParallelism: 64,
    nodePlayStageParallelism: 64,
    nodeLeaseDurationSeconds: 40,
    nodeLeaseParallelism: 16,
  };
  await writeFile(config, [JSON.stringify({ ...kind, options }), ...(await stages())].join('\n---\n'));
  const [port = 0] = await freePorts(1);
  return [`--config=${config}`, `--kubeconfig=${kubeconfig}`, `--server-address=127.0.0.1:${port}`];
}

/** Documents out of kwok's source, which Go keeps beside the program that it built. */
async function stages(): Promise<readonly string[]> {
  const module = `sigs.k8s.io/kwok@${peerNamed('kwok')?.version ?? ''}`;
  const { stdout, stderr } = spawnSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8' });
  const { Dir: source } = JSON.parse(stdout || '{}') as { readonly Dir?: string };
  if (source === undefined) throw new Error(`Cannot find kwok's stages: ${stderr}`);
  const documents: string[] = [];
  for (const stage of STAGES) {
    const folder = join(source, 'kustomize', 'stage', stage);
    for (const name of await readdir(folder))
      if (name.endsWith('.yaml') && name !== 'kustomization.yaml')
        documents.push(await readFile(join(folder, name), 'utf8'));
  }
  return documents;
}
