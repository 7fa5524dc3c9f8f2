import type { MetricRegistry } from '../../base/index.ts';

const FLOW = ['priority_level', 'flow_schema'] as const;
const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const PREFIX = 'apiserver_flowcontrol_';

export type FlowFamilies = ReturnType<typeof flowFamilies>;

/**
 * The families that are counted while requests pass, under upstream's names; figures that are read at a scrape are
 * elsewhere.
 */
// oxlint-disable-next-line explicit-function-return-type -- what the families are is said right here
export function flowFamilies(metrics: MetricRegistry) {
  return {
    rejected: metrics.counter({
      name: `${PREFIX}rejected_requests_total`,
      help: 'Requests refused by priority and fairness, by reason.',
      labels: [...FLOW, 'reason'],
    }),
    dispatched: metrics.counter({
      name: `${PREFIX}dispatched_requests_total`,
      help: 'Requests that priority and fairness let through.',
      labels: FLOW,
    }),
    queueLengths: metrics.histogram({
      name: `${PREFIX}request_queue_length_after_enqueue`,
      help: 'Length of the queue that a request came into, with the request.',
      labels: FLOW,
      buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
    }),
    waits: metrics.histogram({
      name: `${PREFIX}request_wait_duration_seconds`,
      help: 'Seconds that requests waited for a seat, by whether they got one.',
      labels: [...FLOW, 'execute'],
      buckets: SECONDS,
    }),
    executions: metrics.histogram({
      name: `${PREFIX}request_execution_seconds`,
      help: 'Seconds that requests were worked on; watches until they had begun.',
      labels: [...FLOW, 'type'],
      buckets: SECONDS,
    }),
    watchCounts: metrics.histogram({
      name: `${PREFIX}watch_count_samples`,
      help: 'Watches to be notified of a write.',
      labels: FLOW,
      buckets: [0, 1, 10, 100, 1000, 10_000],
    }),
    estimatedSeats: metrics.histogram({
      name: `${PREFIX}work_estimated_seats`,
      help: 'Seats that requests were expected to need.',
      labels: FLOW,
      buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    }),
    notAccommodated: metrics.counter({
      name: `${PREFIX}request_dispatch_no_accommodation_total`,
      help: 'Times that the next request needed more seats than were free.',
      labels: FLOW,
    }),
  };
}
