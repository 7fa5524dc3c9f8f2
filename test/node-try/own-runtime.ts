import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Daemon, findPeers, runProgram } from '../../peers/index.ts';
import { prepareRuntime, RUNTIME_PEERS } from '../real-node/container-runtime.ts';
import { eventually } from '../real-node/eventually.ts';
import { PAUSE_IMAGE } from '../real-node/images/suite-images.ts';
import { room } from '../real-node/namespaces.ts';
import { nodeLayout } from '../real-node/node-layout.ts';
import type { TryRuntime } from './machine-runtime.ts';

const LIMIT_MS = 60_000;

/** Why the containerd of `npm run peers` cannot be used; undefined when it can. */
export function whyNoOwnRuntime(): string | undefined {
  const found = findPeers(RUNTIME_PEERS);
  return found.paths === undefined ? found.reason : undefined;
}

/** The containerd of `npm run peers`, inside namespaces; it ends with them. */
export async function ownRuntime(): Promise<TryRuntime> {
  const layout = nodeLayout(join(room(), 'node'));
  await mkdir(layout.folder, { recursive: true });
  const { program, args } = await prepareRuntime(layout, { registry: 'http://127.0.0.1:1' });
  const environment = { PATH: [layout.programs, process.env['PATH'] ?? ''].join(delimiter) };
  const daemon = new Daemon(program, args, { logPath: join(layout.folder, 'runtime.log'), environment });
  const ctr = [findPeers(['ctr']).paths?.ctr ?? 'ctr', '--address', layout.runtimeSocket, '--namespace', 'k8s.io'];
  await eventually(() => runProgram([...ctr, 'version'], { limitMs: LIMIT_MS }), {
    what: 'the start of containerd',
    limitMs: LIMIT_MS,
    daemons: [daemon],
  });
  return { endpoint: `unix://${layout.runtimeSocket}`, ctr, sandboxImage: PAUSE_IMAGE };
}
