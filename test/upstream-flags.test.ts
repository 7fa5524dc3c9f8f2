import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findPeers } from '../peers/index.ts';
import { skipWhen } from '../src/base/testing/requires.ts';
import { apiserverFlags } from '../src/cluster/programs/apiserver/upstream-flags.ts';
import { controllerManagerFlags } from '../src/cluster/programs/controller-manager/upstream-flags.ts';
import { schedulerFlags } from '../src/cluster/programs/scheduler/upstream-flags.ts';

const programs = {
  'kube-apiserver': apiserverFlags,
  'kube-controller-manager': controllerManagerFlags.inCluster,
  'kube-scheduler': schedulerFlags.inCluster,
};
const found = findPeers<string>(Object.keys(programs), process.env);

test.each(Object.entries(programs))(
  'the flags in the help of %s are the ones with a verdict',
  skipWhen(found.paths === undefined, 'Kubernetes not built'),
  (program, flags) => {
    const { stdout } = spawnSync(found.paths?.[program] ?? '', ['--help'], { encoding: 'utf8' });
    const listed = new Map(
      [...stdout.matchAll(/^ +(?:-\w, )?--([a-z0-9-]+)(?: ([A-Za-z]\S*))?/gm)].map(([, name = '', type]) => [
        name,
        type,
      ]),
    );

    expect([...listed.keys()].sort()).toEqual(flags.map(({ name }) => name));
    const booleans = [...listed].filter(([, type]) => type === undefined).map(([name]) => name);
    expect(flags.filter(({ isBoolean }) => isBoolean).map(({ name }) => name)).toEqual(booleans.sort());
  },
);
