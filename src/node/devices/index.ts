// Devices that claims ask for, on nodes.
export { prepareDevices } from './prepare-devices.ts';
export { MOST_SIMULATED_DEVICES, type SimulatedDevices, simulatedDevices } from './simulated-devices.ts';
