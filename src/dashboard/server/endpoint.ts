import type { IncomingMessage } from 'node:http';
import type { DashboardSettings } from '../settings.ts';
import type { ViewerState } from './viewer-state.ts';

/** A request below `/keelson/`, whose viewer is known. */
export interface EndpointCall {
  readonly method: string;
  /** What follows the endpoint's name: `42` of `/keelson/history/42`. */
  readonly rest: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly viewer: ViewerState;
  readonly settings: DashboardSettings;
  /** Changes with every start. */
  readonly session: string;
  /** Aborts when the client has left, or the server stops. */
  readonly signal: AbortSignal;
}

/** Answers with a value that becomes JSON; throws StatusErrors. */
export type Endpoint = (call: EndpointCall) => Promise<unknown>;
