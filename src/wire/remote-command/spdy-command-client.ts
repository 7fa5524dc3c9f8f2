import type { Duplex } from 'node:stream';
import { ByteInbox, type ByteSource } from '../connections/index.ts';
import { SpdySession, type SpdyStream } from '../spdy/index.ts';
import type { WantedStreams } from './command-streams.ts';

/** A command over SPDY, on the caller's side. */
export interface RemoteCommand {
  readonly stdin: SpdyStream | undefined;
  readonly stdout: ByteSource;
  readonly stderr: ByteSource;
  readonly resize: SpdyStream | undefined;
  /** The outcome as JSON; empty or a text from servers with a protocol older than v4. */
  readonly error: AsyncIterable<Uint8Array>;
  close(): void;
}

/** Opens the streams of a command on a connection that was upgraded to SPDY. */
export async function openSpdyCommand(
  socket: Duplex,
  wanted: WantedStreams & { readonly resize: boolean },
): Promise<RemoteCommand> {
  const session = new SpdySession(socket, { isServer: false });
  const open = (name: string, isWanted: boolean): Promise<SpdyStream> | undefined =>
    isWanted ? session.open({ streamtype: name }) : undefined;
  try {
    const [error, stdin, stdout, stderr, resize] = await Promise.all([
      session.open({ streamtype: 'error' }),
      open('stdin', wanted.stdin),
      open('stdout', wanted.stdout),
      open('stderr', wanted.stderr && !wanted.tty),
      open('resize', wanted.tty && wanted.resize),
    ]);
    await error.end();
    return {
      stdin,
      stdout: stdout ?? nothing(),
      stderr: stderr ?? nothing(),
      resize,
      error,
      close: () => session.close(),
    };
  } catch (error) {
    session.destroy();
    throw error;
  }
}

function nothing(): ByteSource {
  const inbox = new ByteInbox();
  inbox.finish();
  return inbox;
}
