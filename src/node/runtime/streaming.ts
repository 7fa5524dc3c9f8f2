// Connections to running containers, which a runtime serves at a URL or within this process.

export interface ExecRequest {
  readonly containerId: string;
  readonly cmd: readonly string[];
  readonly tty: boolean;
  /** Which of the streams are wanted. */
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

export type AttachRequest = Omit<ExecRequest, 'cmd'>;

export interface PortForwardRequest {
  readonly podSandboxId: string;
  readonly ports: readonly number[];
}

/** Where a stream is served: at a URL that the caller connects to, or by a function of this process. */
export type StreamEndpoint<Open> =
  | { readonly type: 'url'; readonly url: string }
  | {
      readonly type: 'in process';
      readonly open: Open;
      /** Aborts when the pod has stopped: the caller's connection, on which it could open more streams, is then closed. */
      readonly ended?: AbortSignal;
    };

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface ProcessInput {
  /** Ends when the caller closes its side. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly resizes?: AsyncIterable<TerminalSize>;
  /** Ends the process, or detaches from it. */
  readonly signal: AbortSignal;
}

export interface ProcessStreams {
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Nothing comes here when there is a terminal. */
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exitCode: Promise<number>;
}

export type OpenProcess = (input: ProcessInput) => ProcessStreams;

/** Connects to a port in the pod: what is sent goes there, what comes from there is the answer. */
export type OpenPort = (
  port: number,
  sent: AsyncIterable<Uint8Array>,
  options: { readonly signal: AbortSignal },
) => AsyncIterable<Uint8Array>;

export interface ExecSyncResponse {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}
