import { hostname } from 'node:os';
import { RandomUidSource, type Random, type Runnable, runTogether } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import {
  app,
  type LeaderElectionOptions,
  type Part,
  type ProgramRunOptions,
  SecureHealthServer,
  type SecureHealthOptions,
} from '../../kit/index.ts';

/** What the programs of a control plane have in common where each is a process of its own. */
export interface ProgramOptions {
  readonly random: Random;
  /** Of several processes one works; default this one does in any case. */
  readonly election?: LeaderElectionOptions | false;
  /** Where probes and scrapes are answered; default nowhere. */
  readonly serving?: SecureHealthOptions;
}

interface Program extends ProgramOptions {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly client: Client;
  readonly clientFor?: (writer: string) => Client | undefined;
}

/** Runs parts as a program on any API server until the signal aborts. */
export async function runProgram(program: Program, signal: AbortSignal): Promise<void> {
  const { name, parts, client, random, election = false, serving, clientFor } = program;
  const identity = `${hostname()}_${new RandomUidSource(random).next()}`;
  const running = app(name, parts, {
    leaderElection: election === false ? false : { namespace: 'kube-system', identity, ...election },
  });
  const options: ProgramRunOptions = clientFor === undefined ? {} : { clientFor };
  const tasks: Runnable[] = [{ run: (scope) => running.run(client, scope, options) }];
  if (serving !== undefined) tasks.push(new SecureHealthServer(serving, running, client));
  await runTogether(tasks, signal);
}
