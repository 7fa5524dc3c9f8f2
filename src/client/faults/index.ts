// Fault injection for transports.
export { type FaultRates, noFaults, unreliableNetwork } from './fault-rates.ts';
export { FaultyTransport, type FaultyTransportOptions } from './faulty-transport.ts';
