// A container runtime without containers.
export { SIMULATED, SimulatedRuntime, type SimulatedRuntimeOptions } from './simulated-runtime.ts';
export { containerUsage, nodeUsage, sumOfUsages, type Usage } from './usage.ts';
export { statedUsage } from './script.ts';
