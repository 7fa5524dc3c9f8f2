// What suites and benchmarks may use: real programs to measure ourselves against, and servers as processes.
export { findPeer, findPeers, type PeerSearch, peersFolder } from './find-peer.ts';
export {
  controllerManagerFlags,
  type KubeOptions,
  type KubePart,
  type RunningKube,
  schedulerFlags,
  startKube,
  whyNoKube,
} from './start-kube.ts';
export { type KeelsonOptions, startKeelson } from './start-keelson.ts';
export { ADMIN_TOKEN, type RunningServer, TOKEN_FILE, tokenOf } from './running-server.ts';
export { Daemon, type DaemonOptions } from './daemon.ts';
export { freePorts } from './free-ports.ts';
export { runProgram, type RunOptions } from './run-program.ts';
export { unpackDebian, whyNoDebian } from './debian.ts';
