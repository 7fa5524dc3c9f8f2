import type { Clock } from '../../base/index.ts';
import type { Family } from '../backend/index.ts';
import { Timings } from '../timings.ts';

/** Paths that have a label of their own; all others share one. */
const KNOWN = [
  ...['attach', 'checkpoint', 'configz', 'containerLogs', 'exec', 'flagz', 'healthz', 'logs', 'metrics', 'pods'],
  ...[
    'portForward',
    'run',
    'runningpods',
    'stats',
    'statusz',
    'metrics/cadvisor',
    'metrics/probes',
    'metrics/resource',
    'metrics/slis',
  ],
];
const METHODS = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'];
const LONG = ['exec', 'attach', 'portforward', 'debug'];

interface HttpLabels {
  readonly [name: string]: string;
}

/** Requests to the server of a node, by what was asked. */
export class HttpMetrics {
  readonly #clock: Clock;
  readonly #durations = new Timings('kubelet_http_requests_duration_seconds', 'Time to answer requests.');
  readonly #totals = new Map<string, { readonly labels: HttpLabels; all: number; open: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A request began; the result is called when it has ended. */
  began(method: string, path: string): () => void {
    const labels = labelsOf(method, path);
    const key = JSON.stringify(labels);
    const count = this.#totals.get(key) ?? { labels, all: 0, open: 0 };
    this.#totals.set(key, count);
    count.all += 1;
    count.open += 1;
    const beganMs = this.#clock.monotonic();
    return () => {
      count.open -= 1;
      this.#durations.observe((this.#clock.monotonic() - beganMs) / 1000, labels);
    };
  }

  families(): readonly Family[] {
    const counts = [...this.#totals.values()];
    return [
      this.#durations.family(),
      {
        name: 'kubelet_http_requests_total',
        type: 'counter',
        help: 'Requests to the server of the node.',
        samples: counts.map(({ labels, all }) => ({ labels, value: all })),
      },
      {
        name: 'kubelet_http_inflight_requests',
        type: 'gauge',
        help: 'Requests that are being answered.',
        samples: counts.map(({ labels, open }) => ({ labels, value: open })),
      },
    ];
  }
}

function labelsOf(method: string, path: string): HttpLabels {
  const [, root = '', second = ''] = path.split('/');
  const whole = `${root}/${second}`;
  const name = KNOWN.includes(whole) ? whole : KNOWN.includes(root) ? root : 'other';
  return {
    method: METHODS.includes(method) ? method : 'other',
    path: name,
    server_type: 'readwrite',
    long_running: String(LONG.includes(name.toLowerCase())),
  };
}
