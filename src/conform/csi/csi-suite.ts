import type { ConformSuite } from '../suite.ts';
import type { SuiteRequest } from '../suite-request.ts';
import { attachCases } from './cases/attach-cases.ts';
import { blockCases } from './cases/block-cases.ts';
import { crashCases } from './cases/crash-cases.ts';
import { groupCases } from './cases/group-cases.ts';
import { healthCases } from './cases/health-cases.ts';
import { identityCases } from './cases/identity-cases.ts';
import { listAndExpandCases } from './cases/list-and-expand-cases.ts';
import { modifyCases } from './cases/modify-cases.ts';
import { nodeCases } from './cases/node-cases.ts';
import { snapshotCases } from './cases/snapshot-cases.ts';
import { volumeCases } from './cases/volume-cases.ts';
import { type CsiSuiteOptions, readCsiOptions } from './csi-options.ts';
import { CsiWorld } from './csi-world.ts';

/** Rules of CSI for drivers, beside those of csi-sanity, in the order in which they are tried. */
export function csiSuite(options: CsiSuiteOptions): ConformSuite<CsiWorld> {
  return {
    kind: 'csi',
    title: 'CSI 1.13',
    cases: [
      ...identityCases,
      ...volumeCases,
      ...listAndExpandCases,
      ...modifyCases,
      ...snapshotCases,
      ...groupCases,
      ...attachCases,
      ...nodeCases,
      ...blockCases,
      ...healthCases,
      ...crashCases,
    ],
    open: (signal) => CsiWorld.open(options, signal),
  };
}

export function csiSuiteFor(request: SuiteRequest): Promise<ConformSuite> {
  return Promise.resolve(csiSuite(readCsiOptions(request)) as ConformSuite);
}
