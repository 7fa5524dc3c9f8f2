import type { Observed, Pod } from '../../client/index.ts';
import { type Clock, messageOf } from '../../base/index.ts';
import type { NodeBackend } from '../backend/index.ts';
import { POD_UID } from '../runtime/index.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';

/** The members of a node that saving containers needs. */
interface SavingNode {
  readonly clock: Clock;
  readonly backend: Pick<NodeBackend, 'runtime' | 'machine'>;
  pod(key: string): Observed<Pod> | undefined;
}

/** `POST /checkpoint/NAMESPACE/POD/CONTAINER`: the runtime saves a container to a file of the machine. */
export async function checkpoint(
  node: SavingNode,
  { query, signal }: NodeRequest,
  { key, container }: { readonly key: string; readonly container: string },
): Promise<NodeAnswer> {
  const pod = node.pod(key);
  if (pod === undefined) return refusal(404, 'pod does not exist');
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  if (![...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === container))
    return refusal(404, `container ${container} does not exist`);
  const timeout = query.getAll('timeout').at(-1);
  if (timeout !== undefined && !/^[+-]?\d+$/.test(timeout))
    return refusal(404, 'cannot parse value of timeout parameter');
  try {
    const location = await save(node, pod, { container, signal, timeoutSeconds: Number(timeout ?? 0) });
    const contentType = 'application/json';
    return { type: 'text', code: 200, text: JSON.stringify({ items: [location] }), contentType };
  } catch (error) {
    return refusal(500, `checkpointing of ${key}/${container} failed (${messageOf(error)})`);
  }
}

interface SaveOptions {
  readonly container: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** Returns the path of the file. */
async function save(
  { backend, clock }: SavingNode,
  { metadata }: Observed<Pod>,
  { container, timeoutSeconds, signal }: SaveOptions,
): Promise<string> {
  const { runtime, machine } = backend;
  const running = await runtime.listContainers({
    state: 'CONTAINER_RUNNING',
    labelSelector: { [POD_UID]: metadata.uid },
  });
  const found = running.find((each) => each.metadata.name === container);
  if (found === undefined) throw new Error(`container ${container} not found`);
  if (timeoutSeconds < 0) throw new Error('CheckpointContainer requires the timeout value to be > 0');
  if (runtime.checkpointContainer === undefined) throw new Error(`${runtime.name} cannot save containers`);
  const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const name = `checkpoint-${metadata.name}_${metadata.namespace ?? ''}-${container}-${time}.tar`;
  const location = `${machine.folders.root}/checkpoints/${name}`;
  await runtime.checkpointContainer(found.id, { location, timeoutSeconds, signal });
  return location;
}
