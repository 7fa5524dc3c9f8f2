export { garbageCollector, type GarbageCollectorOptions } from './garbage-collector.ts';
