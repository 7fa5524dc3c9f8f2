import type { Measure } from './report.ts';
import type { ServerKind, ServerUnderTest } from './server-under-test.ts';

/** A program that a part needs. */
export type Tool = 'h2load' | 'client-go';

/** What a part is given: where to put files, how much to do, and who takes its figures. */
export interface Bench {
  /** Removed after the part. */
  readonly folder: string;
  /** A share of the requests, to try it. */
  readonly scale: number;
  readonly kind: ServerKind;
  /** Starts a server of this kind; what is in `folder` is there again, and is kept. */
  startServer(folder?: string): Promise<ServerUnderTest>;
  add(measure: Omit<Measure, 'part'>, value: number, details?: Readonly<Record<string, number>>): void;
}

/** One thing that is measured of both servers in every round. */
export type Part = {
  readonly name: string;
  /** Heading of its figures. */
  readonly title: string;
  readonly needs?: Tool;
} & (
  | { readonly on: 'the server of the round'; measure(server: ServerUnderTest, bench: Bench): Promise<void> }
  | { readonly on: 'a server of its own'; measure(bench: Bench): Promise<void> }
);

/** Columns beside the main figure of a load. */
export const P99 = 'p99, ms';
export const SERVER_CPU = "server's CPU, µs";
export const CLIENT_CPU = "client's CPU, µs";
