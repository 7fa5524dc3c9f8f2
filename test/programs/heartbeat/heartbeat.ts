import { ConfigMap, Namespace } from '../../../src/client/index.ts';
import type { ProgramBody } from '../../../src/cluster/programs/index.ts';
import { app, controller, type Part } from '../../../src/kit/index.ts';
import { type HeartbeatOptions, IDENTITY } from './program.ts';

/** Puts a ConfigMap into each namespace. */
function heartbeat(beat: string): Part {
  return controller(Namespace, {
    name: 'heartbeat',
    reads: [ConfigMap],
    async reconcile({ metadata: { name: namespace } }, { objects }) {
      const maps = objects(ConfigMap);
      if (maps.get(`${namespace}/heartbeat`) !== undefined) return;
      await maps.create({ metadata: { name: 'heartbeat', namespace }, data: { beat } });
    },
  });
}

export const body: ProgramBody<HeartbeatOptions> = {
  readFlags(flags) {
    const beat = flags.text('beat');
    return beat === undefined ? {} : { heartbeat: beat };
  },
  inCluster: ({ options }) => ({ identity: IDENTITY, parts: [heartbeat(options.heartbeat ?? '')] }),
  async standalone(flags) {
    const part = heartbeat(flags.text('beat') ?? 'alone');
    return { run: ({ client }, signal) => app('heartbeat', [part]).run(client, signal) };
  },
};
