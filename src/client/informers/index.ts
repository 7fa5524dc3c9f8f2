// Caches that watches keep up to date, and work queues. Each part can be used alone.
export { type Delta, DeltaFifo, type DeltaFifoOptions, type KeyDeltas } from './delta-fifo.ts';
export type { Handler, HandlerOptions, HandlerRegistration } from './handler-registration.ts';
export { Indexer, type IndexReader } from './indexer.ts';
export {
  InformerFactory,
  type InformerFactoryOptions,
  type InformerOptions,
  type ObjectSelection,
} from './informer-factory.ts';
export { type ListWatcher, mapObjects, selected } from './list-watcher.ts';
export { byNamespace, type Index, index } from './object-index.ts';
export {
  defaultRateLimiter,
  ItemBackoff,
  type RateLimiter,
  type RetryDelays,
  strictestOf,
  TokenBucket,
} from './rate-limiter.ts';
export { Reflector } from './reflector.ts';
export type { ReflectorHealth, ReflectorOptions, ReflectorSink } from './reflector-options.ts';
export { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';
export { SilenceError } from './silence.ts';
export { type CountedChange, countedWith, type Tally, tally } from './tally.ts';
export { dropManagedFields, keepMetadata, type Transform } from './transform.ts';
export { type AddOptions, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
export { type QueueMetrics, WorkQueueMetrics } from './work-queue-metrics.ts';
