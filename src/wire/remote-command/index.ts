// What other folders may use: remote commands, terminals and ports over WebSocket and SPDY, as Kubernetes' clients and nodes speak them.
export {
  type CommandOutcome,
  type CommandStreams,
  exitCodeOf,
  exitOutcome,
  failedOutcome,
  sizeBytes,
  type TerminalSize,
  type WantedStreams,
} from './command-streams.ts';
export { joinPort, PORT_PROTOCOL } from './join-port.ts';
export {
  type ConnectPort,
  forwardOverSpdy,
  forwardOverWebSocket,
  isPort,
  PORT_FORWARD_PROTOCOL,
  WEBSOCKET_PORT_PROTOCOLS,
} from './port-forward.ts';
export { SPDY_COMMAND_PROTOCOLS, spdyCommand } from './spdy-command.ts';
export { openSpdyCommand, type RemoteCommand } from './spdy-command-client.ts';
export { WEBSOCKET_COMMAND_PROTOCOLS, webSocketCommand } from './websocket-command.ts';
export { joinTunnel } from './websocket-tunnel.ts';
