import type { KubernetesVersion } from '../../base/index.ts';

/** A request to the shared server: one line of JSON. What it starts lives as long as the connection. */
export type SharedRequest = ClusterRequest | ApiserverRequest;

/** A cluster of `keelson test-env`. The answer is one line with a `ClusterAnswer`. */
export interface ClusterRequest {
  readonly type: 'cluster';
  readonly nodes: number;
  /** As for `chooseControllers`; empty for none. */
  readonly controllers: string;
  readonly scheduler: boolean;
  readonly kubernetesVersion: KubernetesVersion;
  readonly runtimeConfig: readonly string[];
  readonly enableAdmission: readonly string[];
  readonly disableAdmission: readonly string[];
}

export type ClusterAnswer =
  | { readonly kubeconfig: string; readonly server: string; readonly problem?: undefined }
  | { readonly problem: string };

/** `keelson apiserver` with these arguments, stopped when the client ends its half of the connection. */
export interface ApiserverRequest {
  readonly type: 'apiserver';
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Its output, line by line, and last its exit code; or `full`, if the client must run it itself. */
export type ApiserverMessage =
  | { readonly type: 'out' | 'error'; readonly text: string }
  | { readonly type: 'ended'; readonly code: number }
  | { readonly type: 'full' };

/** The name of the server's socket in its folder. */
export const SOCKET = 'socket';
