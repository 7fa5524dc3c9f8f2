import type { AddressInfo } from 'node:net';
import type { ReadMetric } from '../../base/index.ts';
import type { ListenAddress } from '../addresses.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';

/** In the environment of a worker: which one it is, from 1 on. */
export const WORKER_VARIABLE = 'KEELSON_WORKER';

/** The descriptors that a worker begins with, beside the usual ones and the one for messages: its way to the store. */
export const CHANNEL_FD = 4;
export const BOARD_FD = 5;

/** What a worker is to do. */
export interface WorkOrder {
  readonly place: ListenAddress;
  /** How many workers share what a server may do at once. */
  readonly workers: number;
  readonly pki: ClusterPki;
  /** Whether the store is the main process's, or one that the worker opens itself. */
  readonly hasStore: boolean;
  readonly hasBoard: boolean;
  /** Whether it reports from the start that it is about to stop. */
  readonly isDraining: boolean;
}

/** An answer to a request that a worker passes on. */
export interface PassedAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the main process says to a worker. */
export type MainMessage =
  | { readonly type: 'start'; readonly order: WorkOrder }
  | { readonly type: 'use'; readonly pki: ClusterPki }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' }
  | { readonly type: 'read metrics'; readonly id: number }
  | { readonly type: 'answer'; readonly id: number; readonly answer: PassedAnswer | undefined };

/** What a worker says to the main process. */
export type WorkerMessage =
  /** It receives messages from now on; earlier ones are lost. */
  | { readonly type: 'ready' }
  | { readonly type: 'listening'; readonly address: AddressInfo }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'metrics'; readonly id: number; readonly metrics: readonly ReadMetric[] }
  | { readonly type: 'request'; readonly id: number; readonly path: string; readonly accept: string }
  | { readonly type: 'audit'; readonly text: string };
