import type { Family } from '../backend/index.ts';
import type { HealthMetrics } from './health-checks.ts';
import { type HttpMetrics } from './http-metrics.ts';
import { type RequestGuard } from './node-access.ts';
import { refusal } from './node-request.ts';

/** What a node's server shows besides pods and measurements. */
export interface ServingOptions {
  /** The configuration that `/configz` shows; default what the agent itself obeys. */
  readonly configuration?: object;
  /** The flags that `/flagz` shows; default none. */
  readonly flags?: Readonly<Record<string, string>>;
  /** The machine's logs; default none are served. */
  readonly systemLogs?: SystemLogOptions;
  /** Counts requests; default each server has its own. */
  readonly http?: HttpMetrics;
  /** Counts checks of health; default each server has its own. */
  readonly health?: HealthMetrics;
  /** Metrics of the program around the node; default none. */
  metrics?(): readonly Family[];
}

export interface SystemLogOptions {
  /** `/var/log` */
  readonly folder: string;
  /** Whether `?query=` finds the log of a service. */
  readonly hasQuery: boolean;
}

/** Paths that a kubelet serves only with its debugging handlers. */
const DEBUGGING = ['run', 'exec', 'attach', 'portForward', 'containerLogs', 'runningpods', 'logs', 'debug'];
/** Paths that it does not have at all without them. */
const UNKNOWN = ['configz', 'flagz', 'statusz', 'checkpoint'];

/** Refuses the paths of debugging handlers: for ports without authorization, and where the handlers are turned off. */
export const withoutDebugging: RequestGuard = async ({ path }) => {
  const [, root = ''] = path.split('/');
  if (DEBUGGING.includes(root)) return refusal(405, 'Debug endpoints are disabled.\n');
  return UNKNOWN.includes(root) ? refusal(404, '404: Page Not Found') : undefined;
};
