import type { Question, ResourceRecord } from '../../../wire/dns/index.ts';

/** An answer from elsewhere. */
export interface Forwarded {
  /** Of the upstream's header. */
  readonly flags: number;
  readonly rcode: number;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  readonly source: 'forward' | 'cache';
}

export interface ResolveContext {
  /** Flags of the client's header and of its OPT record. */
  readonly flags: number;
  readonly ednsFlags: number;
  readonly client: string;
}

/** Resolves names that are not the cluster's. */
export interface Resolver {
  /** At once when the answer is known, later otherwise. Never rejects: what cannot be resolved is SERVFAIL. */
  resolve(question: Question, context: ResolveContext): Forwarded | Promise<Forwarded>;
  /** Whether a question is one that the resolver has made up itself, and that has come back. */
  noticeLoop(question: Question): boolean;
}
