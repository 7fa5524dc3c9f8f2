import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Part } from '../../../kit/index.ts';
import { ProcessHost } from '../../../processes/index.ts';
import type { ControlPlane } from '../../control-plane.ts';
import type { SharedOptions } from '../program.ts';
import type { NodesOptions } from './node-options.ts';

/** What runs containers as processes; undefined where none does. */
export async function openProcesses(
  plane: ControlPlane,
  { runImages, nodeBackend, clock, log }: NodesOptions & Pick<SharedOptions, 'clock' | 'log'>,
): Promise<ProcessHost | undefined> {
  if (runImages === undefined) return undefined;
  if (nodeBackend !== undefined) throw new Error('Cannot run images as processes: the nodes have another backend');
  if (!plane.isListening)
    throw new Error('Cannot run images as processes: the API server listens at no address that they could reach');
  const { folder = join(homedir(), '.keelson', 'run'), ...how } = runImages;
  const apiServer = (): URL => new URL(plane.access.server);
  return ProcessHost.open({ ...how, folder, apiServer, environment: process.env, clock, log });
}

/** Nodes whose processes end when the nodes stop. */
export function withProcesses(nodes: Part, processes: ProcessHost): Part {
  return {
    ...nodes,
    prepare(context) {
      const prepared = nodes.prepare(context);
      return {
        get isIdle() {
          return prepared.isIdle ?? true;
        },
        async run(signal) {
          try {
            await prepared.run(signal);
          } finally {
            await processes.stop();
          }
        },
      };
    },
  };
}
