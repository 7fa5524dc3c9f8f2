// A container runtime without containers.
export { SIMULATED, SimulatedRuntime, type SimulatedRuntimeOptions } from './simulated-runtime.ts';
