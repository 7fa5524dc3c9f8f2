import { setTimeout as sleep } from 'node:timers/promises';
import type { RealNode } from '../../test/real-node/index.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';
import type { NodeBench } from './part.ts';

const SECONDS = 30;
const LEAST_SECONDS = 2;

/** Processor time that the agent and the runtime have used since they started. */
export function cpuOf(node: RealNode): { readonly agentMs: number; readonly runtimeMs: number } {
  return { agentMs: cpuMsOf(node.daemon('agent').pid), runtimeMs: cpuMsOf(node.daemon('runtime').pid) };
}

/** Memory and processor time of the agent while nothing is asked of it, and the runtime's time, which the agent's questions cost. */
export async function addUseOver({ node, scale, add }: NodeBench, what: string): Promise<void> {
  const seconds = Math.max(LEAST_SECONDS, SECONDS * scale);
  const before = cpuOf(node);
  await sleep(seconds * 1000);
  const after = cpuOf(node);
  const share = (ms: number): number => ms / seconds / 10;
  const better = 'lower';
  const unit = '% of a processor';
  add({ name: `${what}: memory`, unit: 'MB', better }, rssMbOf(node.daemon('agent').pid));
  add({ name: `${what}: processor time`, unit, better }, share(after.agentMs - before.agentMs));
  add({ name: `${what}: the runtime's processor time`, unit, better }, share(after.runtimeMs - before.runtimeMs));
}
