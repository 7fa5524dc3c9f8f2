import type { WebSocketConnection } from '../websocket/index.ts';
import { type CommandStreams, outcomeBytes, terminalSizes, type WantedStreams } from './command-streams.ts';
import { WebSocketChannels } from './websocket-channels.ts';

/** The numbers of the streams. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** The protocols of nodes, best first; v5, in which stdin can be closed, ends at the API server. */
export const WEBSOCKET_COMMAND_PROTOCOLS: readonly string[] = [
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
];

/** A command over a WebSocket, on the side that runs it. */
export async function webSocketCommand(
  connection: WebSocketConnection,
  wanted: WantedStreams,
): Promise<CommandStreams> {
  const { stdin, stdout, stderr } = wanted;
  const channels = new WebSocketChannels(connection, [...(stdin ? [CHANNEL.stdin] : []), CHANNEL.resize]);
  // An empty message shows the caller that the command's streams are open.
  await channels.send(stdout ? CHANNEL.stdout : stderr ? CHANNEL.stderr : CHANNEL.error, new Uint8Array());
  return {
    stdin: channels.read(CHANNEL.stdin),
    resizes: terminalSizes(channels.read(CHANNEL.resize)),
    signal: channels.signal,
    stdout: (bytes) => (stdout ? channels.send(CHANNEL.stdout, bytes) : undefined),
    stderr: (bytes) => (stderr ? channels.send(CHANNEL.stderr, bytes) : undefined),
    end: async (outcome) => {
      const bytes = outcomeBytes(outcome, connection.protocol);
      if (bytes !== undefined) await channels.send(CHANNEL.error, bytes);
      channels.close();
    },
  };
}
