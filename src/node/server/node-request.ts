import type { Duplex } from 'node:stream';

/** A request to a node, whatever connection brought it. */
export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name; repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** Aborts when the caller goes away or the node stops. */
  readonly signal: AbortSignal;
  /** Whether the caller asks to go on with another protocol. */
  readonly isUpgrade: boolean;
}

export type NodeAnswer =
  | TextAnswer
  /** Streamed, no faster than the caller reads it. */
  | { readonly type: 'stream'; readonly body: AsyncIterable<Uint8Array> }
  /** The end of HTTP on this connection, which is over when `takeOver` is. */
  | {
      readonly type: 'upgrade';
      readonly headers: Readonly<Record<string, string>>;
      takeOver(connection: Duplex): Promise<void>;
    };

export interface TextAnswer {
  readonly type: 'text';
  readonly code: number;
  readonly text: string;
  /** Default `text/plain`. */
  readonly contentType?: string;
  /** Where a redirection leads. */
  readonly location?: string;
}

export function refusal(code: number, text: string): TextAnswer {
  return { type: 'text', code, text };
}
