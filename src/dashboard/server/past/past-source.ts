import type { ChangeDetail, HistoryMoments, HistoryPage, Moment, PastState } from '../../protocol.ts';

/** Where the past is known: the API server, or changes that were recorded by watching it. */
export interface PastSource {
  /** The oldest moment that can be seen. */
  readonly since: Moment;
  page(query: URLSearchParams): Promise<HistoryPage>;
  change(revision: string): Promise<ChangeDetail>;
  moments(query: URLSearchParams): Promise<HistoryMoments>;
  state(query: URLSearchParams): Promise<PastState>;
}
