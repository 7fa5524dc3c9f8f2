// The streams of a remote command, independent of the protocol.

/** The streams that a caller requests. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** How a command ended, in the form in which it is transmitted. */
export interface CommandOutcome {
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
  readonly code?: number;
}

/** The streams from the point of view of the side that runs the command. */
export interface CommandStreams {
  /** Ends when the caller closes it; at once when the caller did not request it. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly resizes: AsyncIterable<TerminalSize>;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Undefined when more may be written at once; else resolves when it may. The bytes are copied before it returns. */
  stdout(bytes: Uint8Array): Promise<void> | undefined;
  stderr(bytes: Uint8Array): Promise<void> | undefined;
  /** Sends the outcome; call it last. */
  end(outcome: CommandOutcome): Promise<void>;
}

/** The abilities of a protocol: terminal sizes since v3, a structured outcome instead of a text since v4. */
export function canResize(protocol: string): boolean {
  return /^v[345]\./u.test(protocol);
}

/** The bytes for the caller's error stream, if any. */
export function outcomeBytes(outcome: CommandOutcome, protocol: string): Uint8Array | undefined {
  if (/^v[45]\./u.test(protocol)) return Buffer.from(JSON.stringify(outcome));
  return outcome.status === 'Success' ? undefined : Buffer.from(outcome.message ?? '');
}

const NON_ZERO_EXIT = 'NonZeroExitCode';
const EXIT_CODE = 'ExitCode';

/** The outcome of a command that exited; `what` is the runtime's description. */
export function exitOutcome(code: number, what: string): CommandOutcome {
  if (code === 0) return { status: 'Success' };
  return {
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${what}`,
    reason: NON_ZERO_EXIT,
    details: { causes: [{ reason: EXIT_CODE, message: String(code) }] },
  };
}

export function failedOutcome(problem: string): CommandOutcome {
  const message = `Internal error occurred: ${problem}`;
  return { status: 'Failure', message, reason: 'InternalError', code: 500 };
}

/** The exit code in an outcome, if it has one. */
export function exitCodeOf({ reason, details }: CommandOutcome): number | undefined {
  if (reason !== NON_ZERO_EXIT) return undefined;
  const cause = details?.causes?.find((each) => each.reason === EXIT_CODE)?.message ?? '';
  return /^\d{1,3}$/u.test(cause) ? Number(cause) : undefined;
}

/**
 * Parses a terminal's sizes, JSON objects one after another in pieces of any size; ends at the first invalid one. Of sizes that arrive
 * together, only the last one counts.
 */
export async function* terminalSizes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize> {
  let text = '';
  for await (const chunk of chunks) {
    text += Buffer.from(chunk).toString('latin1');
    let at = 0;
    let last: TerminalSize | undefined;
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', at)) {
      const size = sizeOf(text.slice(at, end + 1));
      if (size === undefined) return;
      last = size;
      at = end + 1;
    }
    if (last !== undefined) yield last;
    text = text.slice(at);
    if (text.length > MAX_SIZE_TEXT) return;
  }
}

const MAX_SIZE_TEXT = 1024;

function sizeOf(text: string): TerminalSize | undefined {
  try {
    const { Width: width = 0, Height: height = 0 } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes a terminal's size. */
export function sizeBytes({ width, height }: TerminalSize): Uint8Array {
  return Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`);
}
