import { DevicePools, type DraDriver, draDriver } from 'keelson/devices';

/** A graphics card of the machine. */
export interface Gpu {
  readonly name: string;
  readonly model: string;
  readonly memory: string;
}

/** Graphics cards for claims; containers get the device files of theirs, and learn whether they share the time of a card. */
export function gpuDriver(gpus: readonly Gpu[]): DraDriver {
  const devices = new DevicePools(
    gpus.map(({ name, model, memory }) => ({ name, attributes: { model }, capacity: { memory } })),
  );
  return draDriver({
    name: 'gpu.example.com',
    devices,
    prepare: (given) => ({
      env: {
        GPUS: given.map(({ name }) => name).join(','),
        GPU_SHARING: given.some(({ config }) => config.some(isTimeSliced)) ? 'time-sliced' : 'exclusive',
      },
      devices: given.map(({ name }) => ({ hostPath: `/dev/${name}` })),
    }),
  });
}

/** What claims of this driver may say in `config[].opaque.parameters`. */
function isTimeSliced(parameters: unknown): boolean {
  return (parameters as { readonly sharing?: string } | undefined)?.sharing === 'time-sliced';
}
