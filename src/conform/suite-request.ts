import type { Client } from '../client/index.ts';
import type { ConformSuite } from './suite.ts';

/** A flag of a suite, as data. */
export interface SuiteFlag {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly default?: string | boolean;
  readonly help: string;
  readonly value?: string;
}

/** The flags of one command line, after parsing. */
export interface SuiteFlagValues {
  text(name: string): string | undefined;
  list(name: string): readonly string[];
}

/** An API server without anything else, for extensions that are clients of a cluster. */
export interface SuiteCluster extends AsyncDisposable {
  /** May do everything. */
  readonly client: Client;
  /** The path of a kubeconfig for the extension. */
  readonly kubeconfig: string;
}

export interface SuiteRequest {
  /** The program of the extension and its arguments. */
  readonly command: readonly string[];
  readonly flags: SuiteFlagValues;
  readonly environment: Readonly<Record<string, string | undefined>>;
  openCluster(signal: AbortSignal): Promise<SuiteCluster>;
}

/** A kind of extension that there is a suite for. */
export interface SuiteKind {
  readonly kind: string;
  readonly summary: string;
  /** How the command line looks: `-- PLUGIN [ARGUMENT…]`. */
  readonly synopsis: string;
  readonly flags: Readonly<Record<string, SuiteFlag>>;
  /** The suite for what is asked. Throws an Error that says what is wrong with it. */
  load(): Promise<(request: SuiteRequest) => Promise<ConformSuite>>;
}
