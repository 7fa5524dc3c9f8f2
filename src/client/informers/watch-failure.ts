import { StatusError } from '../../api/client.ts';

/** What a failed list or watch means for a reflector. */
export type WatchFailure =
  /** The server has forgotten the moment we are at, or never knew it: the state must be fetched anew. */
  | 'lost'
  /** The server does not do streaming lists. */
  | 'unsupported'
  /** Try again from where we are. */
  | 'passing';

/** Refusals that say nothing about our position: they may pass, or somebody must change a role first. */
const PASSING_CODES: ReadonlySet<number> = new Set([401, 403, 404, 408, 429]);

export function classifyFailure(error: unknown, isStreamingList: boolean): WatchFailure {
  if (!(error instanceof StatusError)) return 'passing';
  if (error.code === 410 || isTooLargeResourceVersion(error)) return 'lost';
  if (error.code >= 500 || error.code < 400 || PASSING_CODES.has(error.code)) return 'passing';
  return isStreamingList ? 'unsupported' : 'lost';
}

/** The server is behind what we have seen, as after a restore. */
function isTooLargeResourceVersion({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
}
