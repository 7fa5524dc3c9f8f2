// Nodes without containers: a backend whose simulated containers follow the annotations of their pods.
export { AddressPool } from './address-pool.ts';
export {
  simulatedRuntimeAlone,
  type SimulatedRuntimeAlone,
  type SimulatedRuntimeAloneOptions,
} from './runtime-alone.ts';
export type { StatedImage } from './simulated-images.ts';
export { simulatedBackend, type SimulatedBackendOptions } from './simulated-backend.ts';
export { MAX_SIMULATED_DEVICES, type SimulatedDevices, simulatedDevices } from './simulated-devices.ts';
export { DEFAULT_CAPACITY } from './simulated-machine.ts';
export type { SimulatedMachine } from './simulated-machine-shape.ts';
export { SIMULATED } from './simulated-runtime.ts';
export { SIMULATED_VOLUMES } from './simulated-volumes.ts';
export { statedUsage } from './script.ts';
export { containerUsage, nodeUsage, sumOfUsages, type Usage } from './usage.ts';
