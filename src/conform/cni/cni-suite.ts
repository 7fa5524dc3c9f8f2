import type { ConformSuite } from '../suite.ts';
import type { SuiteRequest } from '../suite-request.ts';
import { addCases } from './cases/add-cases.ts';
import { badInputCases } from './cases/bad-input-cases.ts';
import { checkCases } from './cases/check-cases.ts';
import { delCases } from './cases/del-cases.ts';
import { loadCases } from './cases/load-cases.ts';
import { statusAndGcCases } from './cases/status-and-gc-cases.ts';
import { versionCases } from './cases/version-cases.ts';
import { type CniSuiteOptions, readCniOptions } from './cni-options.ts';
import { CniWorld } from './cni-world.ts';

/** The rules of CNI for plugins, in the order in which they are tried. */
export function cniSuite(options: CniSuiteOptions): ConformSuite<CniWorld> {
  return {
    kind: 'cni',
    title: 'CNI 1.1.0',
    cases: [
      ...versionCases,
      ...addCases,
      ...checkCases,
      ...delCases,
      ...statusAndGcCases,
      ...badInputCases,
      ...loadCases,
    ],
    open: (signal) => CniWorld.open(options, signal),
  };
}

export async function cniSuiteFor(request: SuiteRequest): Promise<ConformSuite> {
  return cniSuite(await readCniOptions(request)) as ConformSuite;
}
