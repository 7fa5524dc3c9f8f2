// What other folders may use: time, randomness, tasks, queues, logs, metrics and plain data structures.
export { type Clock, sleepAs, type TimerRole } from './clock.ts';
export { RealClock } from './real-clock.ts';
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
export { settle, type SettleOptions, waitFor, type WaitForOptions } from './settle.ts';
export {
  type Duration,
  DurationError,
  formatDuration,
  formatGoDuration,
  millisecondsOf,
  parseDuration,
  parseGoDuration,
} from './duration.ts';
export { humanDuration } from './human-duration.ts';

export { CryptoRandom, type Random, SeededRandom, type SeededState } from './random.ts';
export { randomUid, RandomUidSource, type UidSource } from './uid-source.ts';

export { Backoff, type BackoffOptions } from './backoff.ts';
export { BoundedQueue, type BoundedQueueOptions } from './bounded-queue.ts';
export { aborted, AbortScope, isAnswerTo, onAbort, type Runnable, runTogether } from './tasks.ts';
export { TaskGroup } from './task-group.ts';
export { DisposeStack } from './dispose-stack.ts';
export { Slice } from './slice.ts';
export { allAtOnce, type Steps, withPauses } from './steps.ts';
export { nextTurn } from './next-turn.ts';
export { TurnBudget, type TurnLane } from './turn-budget.ts';
export { Turns } from './turns.ts';
export { mapped } from './mapped.ts';
export { leave, nextOf, OVER, polled, type Polled, PolledPromise, PolledSource } from './polled.ts';

export { discardLogger, type LogFields, type Logger, type LogLevel, type LogRecord } from './logger.ts';
export { formatJson, formatText, formatWithStack, LineLogger, type LineLoggerOptions } from './line-logger.ts';

export { type CallbackOptions, type CallbackSample, type HistogramOptions, MetricRegistry } from './metric-registry.ts';
export { type ReadMetric, readMetrics, registryOf } from './read-metrics.ts';
export type { LabelArguments, MetricFamily, MetricOptions } from './metric-family.ts';
export type { Counter, Gauge } from './counter.ts';
export { DEFAULT_BUCKETS, exponentialBuckets, Histogram } from './histogram.ts';
export { type TimeWeightedHistogram, timeWeightedHistogram } from './time-weighted-histogram.ts';
export { METRIC_CONTENT_TYPES, type MetricFormat, negotiateMetricFormat } from './metric-text.ts';
export { hasTracer, inSpan, type SpanAttributes, type SpanOptions, type WorkSpan } from './spans.ts';
export { pagedBytes, pagedRoom, plainBytes } from './paged-bytes.ts';

export { DecodeError, type DecodeReason } from './decode-error.ts';
export { unreachable } from './unreachable.ts';
export { type WatchedFilesOptions, watchFiles } from './watched-files.ts';
export { FolderChanges } from './folder-changes.ts';
export { clone, deepEqual, deepFreeze, type DeepReadonly, type JsonValue } from './json-value.ts';
export { withMembers } from './with-members.ts';
export { Heap, type HeapEntry } from './heap.ts';
export { SortedMap } from './sorted-map.ts';
export type { SortedMapEditor } from './sorted-map.ts';
export type { SortedRange, SortedView } from './sorted-view.ts';
export { compareUtf8 } from './utf8-order.ts';
export { describeError, messageOf } from './error-text.ts';
export { codePointCount } from './code-points.ts';
export { secureBytes } from './secure-bytes.ts';
export { keepAlive } from './keep-alive.ts';
export { KeyedTurns } from './keyed-turns.ts';
export { collectGarbage } from './collect-garbage.ts';
export { isProcessRunning, processStart } from './running-process.ts';
export {
  DEFAULT_KUBERNETES_VERSION,
  isKubernetesVersion,
  keelsonVersion,
  KUBERNETES_RELEASES,
  KUBERNETES_VERSION,
  type KubernetesVersion,
  type MinorVersion,
  minorOf,
} from './versions.ts';
