import { type Clock, messageOf } from '../../base/index.ts';
import type { Sink } from '../../wire/connections/index.ts';
import {
  type CommandStreams,
  exitOutcome,
  failedOutcome,
  SPDY_COMMAND_PROTOCOLS,
  spdyCommand,
  type WantedStreams,
  WEBSOCKET_COMMAND_PROTOCOLS,
  webSocketCommand,
} from '../../wire/remote-command/index.ts';
import { handshake, wantsWebSocket, WebSocketConnection } from '../../wire/websocket/index.ts';
import type { OpenProcess } from '../runtime/index.ts';
import { negotiateSpdy, spdyHeaders } from './negotiate-spdy.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';

/** Which streams the caller wants; an answer when it wants none. */
export function wantedStreams(query: URLSearchParams): WantedStreams | NodeAnswer {
  const [stdin, stdout, error, tty] = ['input', 'output', 'error', 'tty'].map((name) => query.get(name) === '1');
  const stderr = error === true && tty !== true; // a terminal has one output
  if (stdin !== true && stdout !== true && !stderr) {
    return refusal(400, 'you must specify at least 1 of stdin, stdout, stderr');
  }
  return { stdin: stdin === true, stdout: stdout === true, stderr, tty: tty === true };
}

export interface CommandParts {
  readonly open: OpenProcess;
  readonly clock: Clock;
  /** A caller that attaches does not get the exit code. */
  readonly isAttach: boolean;
  /** Default those that a kubelet speaks. */
  readonly webSocketProtocols?: readonly string[];
}

/** Connects the caller with a process, over WebSocket or SPDY, as it asks for. */
export function serveCommand(
  request: NodeRequest,
  wanted: WantedStreams,
  { open, clock, isAttach, webSocketProtocols = WEBSOCKET_COMMAND_PROTOCOLS }: CommandParts,
): NodeAnswer {
  const run = (streams: CommandStreams): Promise<void> => runCommand(streams, { open, isAttach }, wanted);
  if (wantsWebSocket((name) => request.header(name))) {
    const { code, headers, body } = handshake(
      (name) => request.header(name),
      (offered) => (offered.length === 0 ? '' : offered.find((name) => webSocketProtocols.includes(name))),
    );
    if (code !== 101) return refusal(code, body);
    const protocol = headers['Sec-WebSocket-Protocol'] ?? '';
    return {
      type: 'upgrade',
      headers,
      takeOver: async (socket) =>
        run(await webSocketCommand(new WebSocketConnection(socket, { clock, protocol }), wanted)),
    };
  }
  const protocol = negotiateSpdy(request, SPDY_COMMAND_PROTOCOLS);
  if (typeof protocol !== 'string') return protocol;
  return {
    type: 'upgrade',
    headers: spdyHeaders(protocol),
    takeOver: async (socket) => run(await spdyCommand(socket, wanted, { clock, protocol })),
  };
}

async function runCommand(
  streams: CommandStreams,
  { open, isAttach }: Pick<CommandParts, 'open' | 'isAttach'>,
  wanted: WantedStreams,
): Promise<void> {
  const { stdin, resizes, signal } = streams;
  try {
    const running = open({ ...(wanted.stdin ? { stdin } : {}), ...(wanted.tty ? { resizes } : {}), signal });
    await Promise.all([pump(running.stdout, streams.stdout), pump(running.stderr, streams.stderr)]);
    const code = await running.exitCode;
    await streams.end(isAttach ? { status: 'Success' } : exitOutcome(code, `exit status ${code}`));
  } catch (error) {
    await streams.end(failedOutcome(`error executing command in container: ${messageOf(error)}`));
  }
}

async function pump(output: AsyncIterable<Uint8Array>, write: Sink): Promise<void> {
  for await (const bytes of output) await write(bytes);
}
