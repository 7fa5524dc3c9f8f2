import { resolve } from 'node:path';
import { parseDuration } from '../../base/index.ts';
import type { ConformSuite } from '../suite.ts';
import type { SuiteRequest } from '../suite-request.ts';
import { allocateCases } from './cases/allocate-cases.ts';
import { lifeCases } from './cases/life-cases.ts';
import { listCases } from './cases/list-cases.ts';
import { preferenceCases } from './cases/preference-cases.ts';
import { registrationCases } from './cases/registration-cases.ts';
import { type DevicePluginSuiteOptions, DevicePluginWorld } from './device-plugin-world.ts';

/** The rules for device plugins, in the order in which they are tried. */
export function devicePluginSuite(options: DevicePluginSuiteOptions): ConformSuite<DevicePluginWorld> {
  return {
    kind: 'device-plugin',
    title: 'Device plugin API v1beta1',
    cases: [...registrationCases, ...listCases, ...allocateCases, ...preferenceCases, ...lifeCases],
    open: () => DevicePluginWorld.open(options),
  };
}

export async function devicePluginSuiteFor({ command, flags, environment }: SuiteRequest): Promise<ConformSuite> {
  const [program = '', ...args] = command;
  const folder = flags.text('device-plugin-dir');
  const options: DevicePluginSuiteOptions = {
    command: [program.includes('/') ? resolve(program) : program, ...args],
    folder: folder === undefined ? undefined : resolve(folder),
    withinMs: parseDuration(flags.text('answer-within') ?? '30s'),
    breakDevice: flags.text('break-device'),
    repairDevice: flags.text('repair-device'),
    environment,
  };
  return devicePluginSuite(options) as ConformSuite;
}
