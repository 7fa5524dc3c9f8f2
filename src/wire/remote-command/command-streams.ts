// What a command that runs elsewhere reads and writes, whichever protocol carries it.

/** Which streams a caller asks for. */
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

/** How a command ended, in the form in which it travels. */
export interface CommandOutcome {
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
  readonly code?: number;
}

/** The streams as the side sees them that runs the command. */
export interface CommandStreams {
  /** Ends when the caller closes it; at once when it did not ask for it. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly resizes: AsyncIterable<TerminalSize>;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Resolves when more may be written. */
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  /** The last word. */
  end(outcome: CommandOutcome): Promise<void>;
}

/** Protocols by what they can carry: since v3 the size of a terminal, since v4 an outcome in place of a text. */
export function canResize(protocol: string): boolean {
  return /^v[345]\./u.test(protocol);
}

/** What goes to the caller's error stream, if anything does. */
export function outcomeBytes(outcome: CommandOutcome, protocol: string): Uint8Array | undefined {
  if (/^v[45]\./u.test(protocol)) return Buffer.from(JSON.stringify(outcome));
  return outcome.status === 'Success' ? undefined : Buffer.from(outcome.message ?? '');
}

const NON_ZERO_EXIT = 'NonZeroExitCode';
const EXIT_CODE = 'ExitCode';

/** The outcome of a command that came to an end by itself; `what` is how the runtime words it. */
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

/** The exit code that an outcome tells of, if it does. */
export function exitCodeOf({ reason, details }: CommandOutcome): number | undefined {
  if (reason !== NON_ZERO_EXIT) return undefined;
  const cause = details?.causes?.find((each) => each.reason === EXIT_CODE)?.message ?? '';
  return /^\d{1,3}$/u.test(cause) ? Number(cause) : undefined;
}

/** A terminal's sizes, as JSON objects one after another in whatever pieces; the stream ends at the first that is none. */
export async function* terminalSizes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize> {
  let text = '';
  for await (const chunk of chunks) {
    text += Buffer.from(chunk).toString('latin1');
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const size = sizeOf(text.slice(0, end + 1));
      if (size === undefined) return;
      yield size;
      text = text.slice(end + 1);
    }
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

/** How a terminal's size travels. */
export function sizeBytes({ width, height }: TerminalSize): Uint8Array {
  return Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`);
}
