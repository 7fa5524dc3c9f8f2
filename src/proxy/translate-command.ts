import type { Duplex } from 'node:stream';
import {
  type Call,
  type ConnectionAnswer,
  type RequestHeaders,
  transportErrorText,
  webSocketAnswer,
} from '../apiserver/index.ts';
import { messageOf } from '../base/index.ts';
import { cutText } from '../wire/connections/index.ts';
import {
  type CommandOutcome,
  type CommandStreams,
  exitCodeOf,
  exitOutcome,
  failedOutcome,
  openSpdyCommand,
  sizeBytes,
  SPDY_COMMAND_PROTOCOLS,
  type WantedStreams,
  webSocketCommand,
} from '../wire/remote-command/index.ts';
import { wantsWebSocket } from '../wire/websocket/index.ts';
import { MAX_REFUSAL_BYTES, type NodeTarget } from './node-target.ts';
import { wantedStreams } from './pod-requests.ts';

const V5 = 'v5.channel.k8s.io';
const MAX_OUTCOME_BYTES = 64 * 1024;

/** Whether the client speaks the protocol that nodes do not: the WebSocket protocol in which stdin can be closed. */
export function isTranslatable(request: RequestHeaders): boolean {
  return wantsWebSocket((name) => request.header(name)) && offered(request).includes(V5);
}

/** Runs a command for a client that speaks WebSocket, at a node that speaks SPDY. */
export function translateCommand(call: Call, target: NodeTarget): ConnectionAnswer {
  const wanted = wantedStreams(call.request.query);
  return webSocketAnswer(call, {
    clock: target.clock,
    protocols: [V5],
    serve: async (connection) => {
      const streams = await webSocketCommand(connection, wanted);
      let outcome: CommandOutcome;
      try {
        outcome = await runAtNode(streams, wanted, await openAtNode(target, call.request.signal));
      } catch (error) {
        outcome = failedOutcome(messageOf(error));
      }
      await streams.end(outcome);
    },
  });
}

/** Throws the node's error message when the node refuses. */
async function openAtNode({ client, path }: NodeTarget, signal: AbortSignal): Promise<Duplex> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': SPDY_COMMAND_PROTOCOLS,
  };
  let answer: Awaited<ReturnType<typeof client.upgrade>>;
  try {
    answer = await client.upgrade({ method: 'POST', path, headers, signal });
  } catch (cause) {
    throw new Error(`error sending request: Post "${client.origin}${path}": ${transportErrorText(cause)}`, { cause });
  }
  if ('socket' in answer) return answer.socket;
  throw new Error(`unable to upgrade connection: ${await cutText(answer.chunks, MAX_REFUSAL_BYTES)}`);
}

async function runAtNode(streams: CommandStreams, wanted: WantedStreams, socket: Duplex): Promise<CommandOutcome> {
  const leave = (): void => void socket.destroy();
  streams.signal.addEventListener('abort', leave);
  if (streams.signal.aborted) leave(); // the client disconnected while the node was being asked
  const command = await openSpdyCommand(socket, { ...wanted, resize: true }).catch((error: unknown) => {
    streams.signal.removeEventListener('abort', leave);
    throw error;
  });
  const toNode = async (): Promise<void> => {
    for await (const bytes of streams.stdin) await command.stdin?.write(bytes);
    await command.stdin?.end();
  };
  const sizes = async (): Promise<void> => {
    for await (const size of streams.resizes) await command.resize?.write(sizeBytes(size));
  };
  const input = Promise.all([toNode(), sizes()]).catch(() => undefined); // the outcome is read from the error stream
  try {
    const [outcome] = await Promise.all([
      outcomeOf(command.error),
      // a node may close the connection before it has ended both: the outcome alone says how the command went
      command.stdout.drainTo((bytes) => streams.stdout(bytes)).catch(() => undefined),
      command.stderr.drainTo((bytes) => streams.stderr(bytes)).catch(() => undefined),
    ]);
    return outcome;
  } finally {
    streams.signal.removeEventListener('abort', leave);
    command.close();
    void input;
  }
}

/** How the command ended, as the node reports it; exit codes have upstream's text. */
async function outcomeOf(error: AsyncIterable<Uint8Array>): Promise<CommandOutcome> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of error) {
      bytes += part.length;
      if (bytes <= MAX_OUTCOME_BYTES) parts.push(part);
    }
  } catch (lost) {
    if (bytes === 0) throw lost; // else the node has closed the connection after its report
  }
  const text = Buffer.concat(parts).toString();
  if (text === '') return { status: 'Success' };
  let outcome: CommandOutcome;
  try {
    outcome = JSON.parse(text) as CommandOutcome;
  } catch {
    return failedOutcome(`error stream protocol error: invalid JSON in ${JSON.stringify(text)}`);
  }
  if (outcome.status === 'Success') return { status: 'Success' };
  const code = exitCodeOf(outcome);
  return code === undefined
    ? failedOutcome(outcome.message ?? 'error stream protocol error: unknown error')
    : exitOutcome(code, `command terminated with exit code ${code}`);
}

function offered(request: RequestHeaders): readonly string[] {
  return request.headers('sec-websocket-protocol').flatMap((text) => text.split(',').map((name) => name.trim()));
}
