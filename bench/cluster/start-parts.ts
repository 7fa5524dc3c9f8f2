import { spawnSync } from 'node:child_process';
import { coldStart } from './cold-start.ts';
import { OURS } from './control-plane.ts';
import type { ClusterPart } from './part.ts';
import { warmStart } from './warm-start.ts';

const WARM_UPS = 20;

export const cold: ClusterPart = {
  name: 'cold start',
  title: 'Start',
  of: [OURS],
  whyNot: () =>
    spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0
      ? undefined
      : '"kubectl" is not on this machine',
  async measure(bench) {
    const { readyMs, idleMb, idleCpu } = await coldStart();
    bench.add({ name: 'cold `keelson up` until `kubectl get nodes` says Ready', unit: 'ms' }, readyMs);
    bench.add({ name: 'idle memory', unit: 'MB' }, idleMb);
    bench.add({ name: 'idle processor time, share of a core', unit: '%' }, idleCpu * 100);
  },
};

export function warm(): ClusterPart {
  let isWarm = false;
  return {
    name: 'warm start',
    title: 'Start',
    of: [OURS],
    async measure(bench) {
      for (let round = 0; !isWarm && round < WARM_UPS; round++) await warmStart(); // the first ones load and compile
      isWarm = true;
      const { startMs, forkMs } = await warmStart();
      bench.add({ name: '`startCluster()`, warm', unit: 'ms' }, startMs);
      bench.add({ name: '`fork()` with 1,000 objects', unit: 'ms' }, forkMs);
    },
  };
}
