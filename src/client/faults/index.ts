// Faults on purpose.
export { badDay, type FaultRates, noFaults } from './fault-rates.ts';
export { FaultyTransport, type FaultyTransportOptions } from './faulty-transport.ts';
