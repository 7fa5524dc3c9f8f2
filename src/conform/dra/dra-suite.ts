import { resolve } from 'node:path';
import { parseDuration } from '../../base/index.ts';
import type { ConformSuite } from '../suite.ts';
import type { SuiteRequest } from '../suite-request.ts';
import { healthCases } from './cases/health-cases.ts';
import { lifeCases } from './cases/life-cases.ts';
import { prepareCases } from './cases/prepare-cases.ts';
import { registrationCases } from './cases/registration-cases.ts';
import { sliceCases } from './cases/slice-cases.ts';
import { unprepareCases } from './cases/unprepare-cases.ts';
import { type DraSuiteOptions, DraWorld } from './dra-world.ts';

/** The rules for DRA drivers, in the order in which they are tried. */
export function draSuite(options: DraSuiteOptions): ConformSuite<DraWorld> {
  return {
    kind: 'dra',
    title: 'Dynamic resource allocation v1, v1beta1',
    cases: [...registrationCases, ...sliceCases, ...prepareCases, ...unprepareCases, ...healthCases, ...lifeCases],
    open: (signal) => DraWorld.open(options, signal),
  };
}

export async function draSuiteFor({ command, flags, environment, openCluster }: SuiteRequest): Promise<ConformSuite> {
  const [program = '', ...args] = command;
  return draSuite({
    command: [program.includes('/') ? resolve(program) : program, ...args],
    withinMs: parseDuration(flags.text('driver-within') ?? '1m'),
    breakDevice: flags.text('break-dra-device'),
    repairDevice: flags.text('repair-dra-device'),
    environment,
    openCluster,
  }) as ConformSuite;
}
