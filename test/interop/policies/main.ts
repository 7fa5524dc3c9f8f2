// `npm run interop:policies [-- --clusters 50 --changes 20 --seed 1 --without-packets]`: random clusters of pods, namespaces and policies,
// changed live. What our resolution says, and which real packets pass through nftables, is held against the verdict of Cyclonus.
import { parseArgs } from 'node:util';
import { findPeers } from '../../../peers/index.ts';
import { whyNoLab } from '../../../src/network/enforcer/testing/pod-lab.ts';
import { judgeClusters } from './judge-clusters.ts';

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '50' },
    changes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    'without-packets': { type: 'boolean', default: false },
  },
});
const peers = findPeers(['cyclonus']);
const reason = values['without-packets'] ? undefined : whyNoLab();
if (peers.paths === undefined || reason !== undefined) {
  console.error(`interop:policies does not run: ${peers.paths === undefined ? peers.reason : reason}`);
  process.exitCode = 1;
} else {
  const wrong = await judgeClusters({
    cyclonus: peers.paths.cyclonus,
    firstSeed: Number(values.seed),
    clusters: Number(values.clusters),
    changes: Number(values.changes),
    hasPackets: !values['without-packets'],
  });
  process.exitCode = wrong === 0 ? 0 : 1;
}
