import { MAX_SIMULATED_DEVICES, type SimulatedDevices, simulatedDevices } from '../../../simulated/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ProgramBody } from '../program.ts';
import { IDENTITY, type SimulatedDevicesOptions } from './options.ts';

export const body: ProgramBody<SimulatedDevicesOptions> = {
  readFlags: (flags) => devicesOf(flags),
  inCluster: ({ options }) => ({
    identity: IDENTITY,
    parts: [simulatedDevices(options.simulatedDevices ?? {})],
  }),
};

/** Such as `gpu.example.com=4`. */
function devicesOf(flags: FlagValues): SimulatedDevicesOptions {
  const entries = flags.list('simulated-devices').map((text): [string, number] => {
    const [driver = '', count = ''] = text.split('=');
    const number = /^\d+$/.test(count) ? Number(count) : 0;
    if (driver === '' || number < 1 || number > MAX_SIMULATED_DEVICES) {
      const wanted = `a driver and a number from 1 to ${MAX_SIMULATED_DEVICES}, such as gpu.example.com=4`;
      throw new FlagError(`--simulated-devices needs ${wanted}, got "${text}"`);
    }
    return [driver, number];
  });
  return entries.length === 0 ? {} : { simulatedDevices: Object.fromEntries(entries) as SimulatedDevices };
}
