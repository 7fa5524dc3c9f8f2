// A small door: made-up machines, which most simulated nodes do without.
export { assignedBackend } from './assigned-backend.ts';
export { readSimulatedMachine } from './read-simulated-machine.ts';
export { shapeMachine } from './simulated-machine-shape.ts';
