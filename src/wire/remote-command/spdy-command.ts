import type { Duplex } from 'node:stream';
import { AbortScope, type Clock } from '../../base/index.ts';
import { SpdySession, type SpdyStream } from '../spdy/index.ts';
import { canResize, type CommandStreams, outcomeBytes, terminalSizes, type WantedStreams } from './command-streams.ts';

/** Best first. */
export const SPDY_COMMAND_PROTOCOLS: readonly string[] = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

export interface SpdyCommandOptions {
  readonly clock: Clock;
  /** One of the protocols above. */
  readonly protocol: string;
}

/** How long a caller may take to open the requested streams. */
const STREAMS_TIMEOUT_MS = 30_000;

/** A command over SPDY, on the side that runs it. Throws when the caller does not open all streams in time. */
export async function spdyCommand(
  socket: Duplex,
  wanted: WantedStreams,
  { clock, protocol }: SpdyCommandOptions,
): Promise<CommandStreams> {
  const names = ['error', 'stdin', 'stdout', 'stderr', 'resize'] as const;
  const isExpected: Readonly<Record<(typeof names)[number], boolean>> = {
    error: true,
    stdin: wanted.stdin,
    stdout: wanted.stdout,
    stderr: wanted.stderr && !wanted.tty,
    resize: wanted.tty && canResize(protocol),
  };
  const streams = new Map<string, SpdyStream>();
  const scope = new AbortScope();
  const missing = (): string | undefined => names.find((name) => isExpected[name] && !streams.has(name));
  let wake = (): void => undefined;
  const onStream = (stream: SpdyStream): void => {
    streams.set(stream.headers['streamtype'] ?? '', stream);
    wake();
  };
  const session = new SpdySession(socket, { isServer: true, onStream, maxStreams: names.length });
  void session.closed.then(() => {
    scope.abort(new Error('The caller is gone'));
    wake();
  });
  using _timer = clock.timer(STREAMS_TIMEOUT_MS, () => session.destroy());
  while (missing() !== undefined) {
    if (scope.signal.aborted) throw new Error('timed out waiting for client to create streams');
    await new Promise<void>((resolve) => (wake = resolve));
  }
  const write = (name: string, bytes: Uint8Array): Promise<void> | undefined => streams.get(name)?.write(bytes);
  return {
    stdin: received(streams.get('stdin')),
    resizes: terminalSizes(received(streams.get('resize'))),
    signal: scope.signal,
    stdout: (bytes) => write('stdout', bytes),
    stderr: (bytes) => write('stderr', bytes),
    end: async (outcome) => {
      const bytes = outcomeBytes(outcome, protocol);
      if (bytes !== undefined) await write('error', bytes);
      for (const stream of streams.values()) await stream.end();
      session.close();
    },
  };
}

/** The bytes of a stream; an error counts as its end. */
async function* received(stream: SpdyStream | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* stream ?? [];
  } catch {
    // the signal shows that the caller has disconnected
  }
}
